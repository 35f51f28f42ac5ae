/* Nothing: links the library with what the compiler's own library adds, to be read by stack.py. */
int main(void) { return 0; }
