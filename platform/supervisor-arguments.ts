/**
 * What only the supervisor of `npm start` hands to a service. Arguments rather than variables, so
 * that no environment and no `.env` file of a deployment can switch them on.
 */
import { parseArgs } from 'node:util'

export interface SupervisorArguments {
  /** Folder of the embedded capture server's emails; without it there is no mailbox. */
  readonly mailboxDir: string | undefined
  /**
   * Health of exactly this process, while another one still has its public and its operations port.
   */
  readonly probePort: number | undefined
}

/** `args`: what follows the program's file. Others' arguments are ignored. */
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
