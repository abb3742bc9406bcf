/**
 * Signals a process and all its descendants: Postgres, for example, has one process for each
 * connection.
 */
import { readFileSync } from 'node:fs'
import { childrenOf } from '../../dev/processes/process-table.ts'

/** The process, followed by its descendants. */
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
      // It has exited in the meantime.
    }
  }
}

/** Whether the process is stopped by SIGSTOP. */
export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  } catch {
    return false
  }
}
