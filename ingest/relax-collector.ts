import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap grow fourfold before the next full collection. Each request brings short-lived buffers that V8 counts
 * against the old generation; beside a live heap of some ten megabytes that meant a full
 * collection every 50 ms, which took a third of the process's CPU (bench/RESULTS.md). The heap's
 * bound is unchanged.
 */
export function relaxCollector(): void {
  setFlagsFromString('--heap-growing-percent=300')
}
