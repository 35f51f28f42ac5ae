/* Before each source: which of the faults of run is there. 0: none. */
extern int eacsl_control;
