/**
 * Settings that only the supervisor of `npm start` passes to a service. They are arguments and not
 * variables, so that no environment and no `.env` file of a deployment can enable them.
 */
import { parseArgs } from 'node:util'

export interface SupervisorArguments {
  /** Folder of the captured emails. Undefined: no mailbox. */
  readonly mailboxDir: string | undefined
  /**
   * Health port of exactly this process, for the time in which another process still has its public
   * and its operations port.
   */
  readonly probePort: number | undefined
}

/** @param args the arguments after the program file. Other arguments are ignored. */
export function readSupervisorArguments(args: readonly string[]): SupervisorArguments {
  const { values } = parseArgs({
    args: [...args],
    options: { 'mailbox-dir': { type: 'string' }, 'probe-port': { type: 'string' } },
    strict: false,
  })
  const { 'mailbox-dir': mailboxDir, 'probe-port': probePort } = values
  return {
    mailboxDir: typeof mailboxDir === 'string' && mailboxDir !== '' ? mailboxDir : undefined,
    probePort: typeof probePort === 'string' ? Number(probePort) : undefined,
  }
}

export function formatSupervisorArguments(given: Partial<SupervisorArguments>): string[] {
  return [
    ...(given.mailboxDir === undefined ? [] : [`--mailbox-dir=${given.mailboxDir}`]),
    ...(given.probePort === undefined ? [] : [`--probe-port=${given.probePort}`]),
  ]
}
