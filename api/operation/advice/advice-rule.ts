/** One rule of the advice, and how rules look at a snapshot. */
import type { DiskState, ProcessKind, ProcessState, Snapshot } from '../processes/snapshot.ts'

export interface AdviceRule {
  readonly name: string
  readonly severity: 'warning' | 'problem'
  /** Page below docs/, without its suffix. */
  readonly page: string
  /** What is wrong and what to do; undefined if the rule does not apply. */
  readonly find: (snapshot: Snapshot) => string | undefined
}

export function namesOf(processes: readonly ProcessState[]): string {
  return processes.map(({ name }) => name).join(', ')
}

export function silentOnes({ processes }: Snapshot): readonly ProcessState[] {
  return processes.filter(({ state }) => state === 'does not answer')
}

/** The processes of a kind, if there is one and none answers. */
export function allSilent(
  snapshot: Snapshot,
  kind: ProcessKind,
): readonly ProcessState[] | undefined {
  const all = snapshot.processes.filter((one) => one.kind === kind)
  const isSilent = all.length > 0 && all.every(({ state }) => state === 'does not answer')
  return isSilent ? all : undefined
}

/** Why the first of some silent processes does not answer. */
export function whyOf([first]: readonly ProcessState[]): string {
  return first?.reasons[0] ?? 'no answer'
}

/** Names of the processes that cannot use a dependency. */
export function missing(snapshot: Snapshot, dependency: string): string | undefined {
  return snapshot.missing.find((one) => one.dependency === dependency)?.processes.join(', ')
}

/** What a process says about a dependency that it lacks, without the full stop. */
export function reasonFor({ processes }: Snapshot, dependency: string): string | undefined {
  const start = `${dependency}: `
  const reason = processes
    .flatMap(({ reasons }) => reasons)
    .find((text) => text.startsWith(start) && text.length > start.length)
  return reason?.slice(start.length).replace(/\.$/, '')
}

/** False for limits of JetStream and of the write-ahead log, which the metrics of disks include. */
export function isDisk({ folder }: DiskState): boolean {
  return folder !== 'ingest_log_limit' && !isJetStream(folder)
}

export function isJetStream(folder: string): boolean {
  return folder === 'nats' || folder.startsWith('nats:')
}

/** Null if the size is unknown. */
export function usedRatioOf({ freeBytes, sizeBytes }: DiskState): number | null {
  return sizeBytes ? 1 - freeBytes / sizeBytes : null
}

/** The entry with the largest value, if that is beyond the limit. */
export function worst<T>(
  entries: readonly T[],
  measure: (entry: T) => number | null,
  limit = Number.NEGATIVE_INFINITY,
): T | undefined {
  const value = (entry: T) => measure(entry) ?? Number.NEGATIVE_INFINITY
  return entries
    .filter((entry) => value(entry) > limit)
    .toSorted((one, other) => value(other) - value(one))[0]
}
