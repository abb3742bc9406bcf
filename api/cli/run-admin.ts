/**
 * The command line: `<thing> <verb> --flags`. With `--json` it prints one JSON value only. An error
 * is one sentence on standard error, with exit code 1. It runs in any process: the caller passes
 * the environment and the outputs.
 */
import { Command, CommanderError } from 'commander'
import { MigrationsError } from '#platform/installation/check-migrations.ts'
import { ForeignInstallationError } from '#platform/installation/installation.ts'
import { StorageError } from '#platform/objects/storage-error.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { BackupError } from '../backup/backup-error.ts'
import { type AdminIo, addCommand, addThing, VerbFailed } from './command.ts'
import { things } from './things.ts'
import { UsageError } from './usage-error.ts'

export type { AdminIo } from './command.ts'

/** Returns the exit code. `args` are the words after the name of the program. */
export async function runAdmin(args: readonly string[], io: AdminIo): Promise<0 | 1> {
  const program = new Command('admin')
    .description('Manage the accounts and the content of a Sluice installation.')
    .usage('<thing> <verb> [flags]')
    .exitOverride()
    .configureOutput({
      writeOut: io.stdout,
      // Commander writes its own error here; ours is written once, below.
      writeErr: () => undefined,
    })
    .showSuggestionAfterError(false)
  const named = things.find(({ name, aliases = [] }) => [name, ...aliases].includes(args[0] ?? ''))
  if (named === undefined) await addAll(program, io)
  else await addThing(program, named, io)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const sentence = sentenceOf(error)
    if (sentence !== '') io.stderr(`${sentence}\n`)
    return 1
  }
}

/** For `--help`, for commands of one word, and to name what is unknown. */
async function addAll(program: Command, io: AdminIo): Promise<void> {
  const { checkCommands, firstCommands } = await import('./one-word-commands.ts')
  for (const plan of firstCommands) addCommand(program, plan, io)
  for (const thing of things) await addThing(program, thing, io)
  for (const plan of checkCommands) addCommand(program, plan, io)
}

function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help') return 'Say what to do: see --help.'
    const text = error.message.replace(/^error: /, '')
    const sentence = text.charAt(0).toUpperCase() + text.slice(1)
    return /[.!?]$/.test(sentence) ? sentence : `${sentence}. See --help.`
  }
  if (error instanceof CodedError && error.code === 'unavailable') {
    return 'Postgres does not answer: is Sluice running?'
  }
  if (error instanceof MigrationsError || error instanceof ForeignInstallationError) {
    return `${error.message}.`
  }
  const isSentence = [UsageError, VerbFailed, CodedError, BackupError, StorageError].some(
    (kind) => error instanceof kind,
  )
  if (isSentence) return (error as Error).message
  const detail = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
  return `That failed: ${detail}`
}
