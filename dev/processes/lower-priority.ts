import { writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * About half of what others get while the cores are not enough for all. Not more: with eight busy
 * programs beside it, a worker of niceness 10 gets so little that events take minutes to appear.
 */
export const niceness = 3

/**
 * Lowers the scheduling priority of a process that works off a backlog, where it shares the cores
 * of one machine with those that answer requests. Call it right after the start, because a thread
 * inherits the priority of the one that creates it. Where the system does not allow it, nothing
 * changes.
 */
export function lowerPriority(pid: number): void {
  attempt(() => {
    if (getPriority(pid) < niceness) setPriority(pid, niceness)
  })
  // Linux weighs sessions before processes (autogroup, sched(7)), and each of ours is a session of
  // its own.
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
