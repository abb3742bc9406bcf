import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap grow fourfold between two full garbage collections. Requests allocate short-lived
 * buffers that V8 counts against the old generation. With a live heap of about 10 MB that caused a
 * full collection every 50 ms, which took a third of the process's CPU (bench/RESULTS.md). The
 * maximum heap size is unchanged.
 */
export function relaxCollector(): void {
  setFlagsFromString('--heap-growing-percent=300')
}
