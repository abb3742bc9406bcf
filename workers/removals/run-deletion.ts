/**
 * Runs one row of `deletions`: of a project, an organization, or the data of a person. Every step
 * may be killed and repeated, and two processes may run the same deletion: a step finds and changes
 * rows by what they hold, and counts them in the transaction that changes them.
 *
 *   removing            the rows that exist
 *   waiting_for_stream  until every record that was received before the request is digested: the
 *                       cursors have passed the end of the stream, and no write-ahead log holds an
 *                       older frame
 *   sweeping            the rows that appeared meanwhile
 *   done                the row is the receipt
 */
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import type { Scope } from '#schemas/stored-data/scope.ts'

export type DeletionKind = 'project' | 'organization' | 'person'
export type DeletionState = 'removing' | 'waiting_for_stream' | 'sweeping' | 'done'

export interface Deletion extends Scope {
  readonly id: string
  readonly kind: DeletionKind
  readonly state: DeletionState
  readonly organizationId: string
  /** Present for a person until the deletion is done. */
  readonly subject: PersonSubject | undefined
  readonly requestedAt: Date
  readonly waitsUntil: Date
  /** Names of finished steps. */
  readonly steps: readonly string[]
}

export interface DeletionStep {
  /** Unique within a deletion, and stable: finished steps are remembered by it. */
  readonly name: string
  /** @param pass 1 while removing, 2 while sweeping. */
  readonly run: (pass: 1 | 2) => Promise<void>
}

/** Whether records from before the request may still be on their way. */
export type StreamCheck =
  | { readonly kind: 'passed' }
  /** `reasons`: sentences about what is waited for. */
  | { readonly kind: 'waiting'; readonly reasons: readonly string[] }

export interface StateChange {
  readonly from: DeletionState
  readonly to: DeletionState
  /** Sentences that the receipt adds. */
  readonly remaining: readonly string[]
}

export interface DeletionPorts {
  /** Undefined when there is no such deletion. */
  readonly read: (id: string) => Promise<Deletion | undefined>
  readonly stepsOf: (deletion: Deletion) => readonly DeletionStep[]
  readonly finishStep: (id: string, step: string) => Promise<void>
  /** Does nothing when another process has gone further. */
  readonly enter: (id: string, change: StateChange) => Promise<void>
  /** Deletes what belongs to the deletion itself, clears the subject, and writes `finished_at`. */
  readonly finish: (deletion: Deletion) => Promise<void>
  readonly checkStream: (deletion: Deletion) => Promise<StreamCheck>
  readonly now: () => Date
  /** Throws when the process drains. */
  readonly throwIfDraining: () => void
}

/** `waiting`: run it again in some seconds. */
export async function runDeletion(ports: DeletionPorts, id: string): Promise<'done' | 'waiting'> {
  const deletion = await ports.read(id)
  if (deletion === undefined || deletion.state === 'done') return 'done'
  let { state } = deletion
  if (state === 'removing') {
    await runSteps(ports, deletion, 1)
    await ports.enter(id, { from: state, to: 'waiting_for_stream', remaining: [] })
    state = 'waiting_for_stream'
  }
  if (state === 'waiting_for_stream') {
    const check = await ports.checkStream(deletion)
    if (check.kind === 'waiting' && ports.now() < deletion.waitsUntil) return 'waiting'
    const remaining = check.kind === 'waiting' ? check.reasons : []
    await ports.enter(id, { from: state, to: 'sweeping', remaining })
  }
  await runSteps(ports, deletion, 2)
  await ports.finish(deletion)
  return 'done'
}

async function runSteps(ports: DeletionPorts, deletion: Deletion, pass: 1 | 2): Promise<void> {
  for (const { name, run } of ports.stepsOf(deletion)) {
    const step = `${pass} ${name}`
    if (deletion.steps.includes(step)) continue
    ports.throwIfDraining()
    await run(pass)
    await ports.finishStep(deletion.id, step)
  }
}
