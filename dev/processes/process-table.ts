/**
 * Information about other processes, used to avoid signalling an unrelated process that has reused
 * a pid.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie holds no resources any more.
    return statFields(pid)[0] !== 'Z'
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The command line, with spaces between the arguments; empty if there is no such process. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
  } catch {
    return process.platform === 'linux' ? '' : askPs(pid, 'command=')
  }
}

/** Tells apart two processes that had the same pid. */
export function startMark(pid: number): string {
  if (process.platform !== 'linux') return askPs(pid, 'lstart=')
  return statFields(pid)[19] ?? ''
}

/** Fields of `/proc/<pid>/stat`, starting with the state; empty if there is none. */
function statFields(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in parentheses, which may contain anything, so skip to
    // its last parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Pids of the child processes. Empty where the system has neither `/proc` nor `ps`. */
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

/** Resolves to true if the process ended within the time. */
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
