/**
 * Signals to a process and all that it has started: Postgres is one process for each connection.
 */
import { readFileSync } from 'node:fs'
import { childrenOf } from '../../dev/processes/process-table.ts'

/** The process first, then its children and theirs. */
export function processTree(pid: number): number[] {
  const tree = [pid]
  for (const each of tree) tree.push(...childrenOf(each))
  return tree
}

export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const each of processTree(pid)) {
    try {
      process.kill(each, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Whether SIGSTOP holds it. */
export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  } catch {
    return false
  }
}
