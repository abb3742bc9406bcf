import { writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** A tenth of what others get, while the cores are not enough for all. */
const niceness = 10

/**
 * What works off a backlog gives way to what answers requests, where all share the cores of one machine. Call it right after the start: a
 * thread inherits the priority of the one that made it. Where that is not allowed nothing changes.
 */
export function giveWay(pid: number): void {
  attempt(() => {
    if (getPriority(pid) < niceness) setPriority(pid, niceness)
  })
  // Linux weighs sessions before processes (autogroup, sched(7)), and each of ours is a session of its own.
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
