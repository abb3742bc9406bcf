import { writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * With niceness 3, a process gets about half of the CPU time of others while cores are short.
 * Higher values starve workers: at 10, with eight busy programs, events take minutes to appear.
 */
export const niceness = 3

/**
 * Lowers the scheduling priority of a process that works through a backlog, where it shares cores
 * with processes that answer requests. Call it right after the start, because threads inherit the
 * priority of their creator. Does nothing where the system does not allow it.
 */
export function lowerPriority(pid: number): void {
  attempt(() => {
    if (getPriority(pid) < niceness) setPriority(pid, niceness)
  })
  // Linux schedules sessions before processes (autogroup, sched(7)), and each of our processes is
  // its own session.
  if (process.platform === 'linux') {
    attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)))
  }
}

function attempt(change: () => void): void {
  try {
    change()
  } catch {
    // It is gone, or may not be changed by us, or this kernel has no such groups.
  }
}
