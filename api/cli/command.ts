/** How a command is added: its flags, what it does, and what is common to all of them. */
import { Command } from 'commander'
import { asJson, asText, type Row } from './print.ts'
import { chooseOrganization, type Session, withSession } from './session.ts'

export interface AdminIo {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
}

/** As the flags are called, `--per-minute` as perMinute. */
type FlagName =
  | 'name'
  | 'label'
  | 'project'
  | 'scopes'
  | 'slug'
  | 'from'
  | 'id'
  | 'organization'
  | 'monthlyEvents'
  | 'perMinute'
  | 'perIssue'
  | 'status'
  | 'type'
  | 'search'
  | 'file'
  | 'email'
  | 'role'
  | 'reason'
  | 'cause'
  | 'domain'
  | 'origins'
  | 'moderation'
  | 'into'
  | 'enduserAuth'
  | 'linksMax'
  | 'votesPerMinute'
  | 'decision'
  | 'token'
  | 'bounceDomain'
  | 'selector'
  | 'newsletter'
  | 'mapping'
  | 'format'
  | 'ignoreColumn'
  | 'attribs'
  | 'subject'
  | 'preview'
  | 'at'
  | 'rate'
  | 'limit'
  | 'source'
  | 'since'
  | 'until'
  | 'statusMap'
type CampaignSwitch = 'yes' | 'force' | 'warmUp' | 'detach'
type Flags = Readonly<
  Partial<
    Record<FlagName, string> &
      Record<
        | 'confirm'
        | 'json'
        | 'dryRun'
        | 'updateExisting'
        | 'complaint'
        | 'reassign'
        | 'all'
        | 'createTags'
        | 'confirmed'
        | CampaignSwitch,
        boolean
      >
  >
>

export interface Run {
  readonly session: Session
  readonly flags: Flags
  /** Finds the organization that `--organization` names, or the only one. */
  readonly organization: () => Promise<string>
  /** Beside the result, on standard error: what a person wants to see meanwhile. */
  readonly say: (text: string) => void
}

export interface VerbPlan {
  readonly verb: string
  /** Names of earlier versions. They keep working and `--help` does not list them. */
  readonly aliases?: readonly string[]
  /** The `operationId` of the API's operation that calls the same action; none for what only this machine can do. */
  readonly operation?: string
  readonly summary: string
  /** `--name <name>` and what it means; a trailing `!` on the meaning makes it required. */
  readonly flags?: Readonly<Record<string, string>>
  /** A flag that may also stand alone after the verb, as in `token revoke ID`. */
  readonly operand?: FlagName
  /** The verb checks for itself whether the operand is needed. */
  readonly isOperandOptional?: boolean
  readonly run: (run: Run) => Promise<Row | readonly Row[]>
}

export function addThing(
  program: Command,
  thing: { name: string; summary: string; verbs: readonly VerbPlan[] },
  io: AdminIo,
): void {
  const parent = program.command(thing.name).description(thing.summary)
  for (const plan of thing.verbs) {
    parent.addCommand(verbCommand(plan, parent, io))
    for (const alias of plan.aliases ?? []) {
      parent.addCommand(verbCommand({ ...plan, verb: alias }, parent, io), { hidden: true })
    }
  }
}

function verbCommand(plan: VerbPlan, parent: Command, io: AdminIo): Command {
  const command = new Command(plan.verb).description(plan.summary).copyInheritedSettings(parent)
  for (const [flag, meaning] of Object.entries(plan.flags ?? {})) {
    if (meaning.endsWith('!')) command.requiredOption(flag, meaning.slice(0, -1))
    else command.option(flag, meaning)
  }
  command.option('--organization <organization>', 'its id or name, when there are several')
  command.option('--json', 'print one JSON value and nothing else')
  const { operand } = plan
  if (operand !== undefined) {
    command.argument(`[${operand}]`)
    command.option(`--${operand} <${operand}>`, `the same as ${operand} after the verb`)
  }
  command.action(async (...args: unknown[]) => {
    const given = operand === undefined ? undefined : (args[0] as string | undefined)
    const flags: Flags = command.opts()
    const all =
      operand === undefined || given === undefined ? flags : { ...flags, [operand]: given }
    const isNeeded = plan.isOperandOptional !== true
    if (operand !== undefined && isNeeded && all[operand] === undefined) {
      command.error(`error: missing required argument '${operand}'`)
    }
    const printed = await withSession(io.env, (session) => {
      return plan.run({
        session,
        flags: all,
        organization: () => chooseOrganization(session.pg, all.organization),
        say: io.stderr,
      })
    })
    io.stdout(all.json ? asJson(printed) : asText(printed))
  })
  return command
}
