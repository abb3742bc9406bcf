/**
 * CPU time of one thread of this process, read from /proc (proc(5)). Node 20 has no function for
 * it.
 */
import { readFileSync, readlinkSync } from 'node:fs'

/** The system's id of the calling thread; 0 when /proc is not available. */
export function ownThreadId(): number {
  try {
    // `<process>/task/<thread>`
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return 0
  }
}

/** Milliseconds of CPU time used so far; undefined when unknown or when the thread has ended. */
export function threadCpuMs(threadId: number): number | undefined {
  if (threadId === 0) return undefined
  try {
    // The first number is the time on a CPU in nanoseconds.
    const [ranNs] = readFileSync(`/proc/self/task/${threadId}/schedstat`, 'utf8').split(' ')
    return Number(ranNs) / 1e6
  } catch {
    return undefined
  }
}
