/** What the operating system knows of other processes: enough to never signal a stranger who got an old pid. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The command line with blanks between the arguments; empty when there is no such process. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
  } catch {
    return process.platform === 'linux' ? '' : askPs(pid, 'command=')
  }
}

/** Tells two processes apart that had the same pid one after the other. */
export function startMark(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may hold anything, so count from its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return process.platform === 'linux' ? '' : askPs(pid, 'lstart=')
  }
}

/** Resolves to whether the process was gone within the time. */
export async function waitForExit(pid: number, waitMs: number): Promise<boolean> {
  const deadline = systemClock.monotonicMs() + waitMs
  while (isAlive(pid)) {
    if (systemClock.monotonicMs() > deadline) return false
    await sleep(25)
  }
  return true
}

function askPs(pid: number, column: string): string {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}
