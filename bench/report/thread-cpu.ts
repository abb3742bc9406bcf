/** CPU time of the calling thread in microseconds; undefined if the system does not report it. */
import { readFileSync } from 'node:fs'

export function threadCpuUs(): number | undefined {
  try {
    const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')
    const number = Number(nanoseconds)
    return Number.isFinite(number) ? number / 1000 : undefined
  } catch {
    return undefined
  }
}
