/**
 * What the operating system knows of other processes: enough to never signal a stranger who got an
 * old pid.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that has ended and waits for its parent to look holds nothing any more.
    return statFields(pid)[0] !== 'Z'
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
  if (process.platform !== 'linux') return askPs(pid, 'lstart=')
  return statFields(pid)[19] ?? ''
}

/** `/proc/<pid>/stat` from the state on; empty where there is none. */
function statFields(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may hold anything, so count from
    // its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Empty where the operating system has neither `/proc` nor `ps`. */
export function childrenOf(parent: number): number[] {
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
    return pids.filter((pid) => Number(statFields(pid)[1]) === parent && isAlive(pid))
  }
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (ppid === parent && pid ? [pid] : []))
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
