/**
 * A command of one level, such as `doctor`, that opens no session: it must also work while Postgres
 * is away. It returns its output and the exit code.
 */
import { Command } from 'commander'
import type { AdminIo } from './command.ts'

export interface PlainResult {
  readonly text: string
  readonly json: unknown
  readonly code: 0 | 1
}

export interface PlainFlag {
  /** One word, such as `check`. */
  readonly name: string
  readonly summary: string
}

export interface PlainCommand {
  readonly name: string
  readonly summary: string
  /** Flags without a value, beside `--json`. */
  readonly flags?: readonly PlainFlag[]
  /** `given`: the names of the flags that were given, without dashes. */
  readonly run: (io: AdminIo, given: ReadonlySet<string>) => Promise<PlainResult>
}

/** @param onCode gets the exit code of the command. */
export function addPlainCommand(
  program: Command,
  { name, summary, flags = [], run }: PlainCommand,
  { io, onCode }: { readonly io: AdminIo; readonly onCode: (code: 0 | 1) => void },
): void {
  const command = new Command(name).description(summary).copyInheritedSettings(program)
  command.option('--json', 'print one JSON value only')
  for (const flag of flags) command.option(`--${flag.name}`, flag.summary)
  command.action(async () => {
    const given = flags.filter((flag) => command.opts()[flag.name] === true)
    const { text, json, code } = await run(io, new Set(given.map((flag) => flag.name)))
    io.stdout(command.opts()['json'] ? `${JSON.stringify(json, null, 2)}\n` : text)
    onCode(code)
  })
  program.addCommand(command)
}
