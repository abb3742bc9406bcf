/** Adds the verbs of a resource to the program, with the flags that all verbs have. */
import { Command } from 'commander'
import type { AddressName } from '#platform/warn-unset-addresses.ts'
import { asJson, asText, type Row } from './print.ts'
import { chooseOrganization, requireAddresses, type Session, withSession } from './session.ts'

export interface AdminIo {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
}

/** The flags with a value, in the spelling of commander: `--per-minute` is perMinute. */
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
  | 'idea'
  | 'author'
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
  | 'contact'
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
  | 'title'
  | 'description'
  | 'message'
  | 'user'
  | 'note'
  | 'trusted'
  | 'blocked'
  | 'adapter'
  | 'settings'
  | 'release'
  | 'environment'
  | 'released'
  | 'started'
  | 'finished'
  | 'action'
  | 'count'
  | 'instance'
  | 'streams'
  | 'passwordFile'
  | 'to'
  | 'keep'
  | 'sample'
  | 'wait'
  | 'userId'
  | 'address'
  | 'replace'
  | 'url'
  | 'events'
  | 'target'
  | 'delivery'
  | 'event'
  | 'fingerprintRules'
  | 'stackTraceRules'
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
        | 'allowDomain'
        | 'check'
        | 'full'
        | 'restored'
        | 'cancelEmails'
        | 'skipInvalid'
        | CampaignSwitch,
        boolean
      >
  >
>

/** What a verb gets that opens its connections itself. */
export interface BareRun {
  readonly env: NodeJS.ProcessEnv
  readonly flags: Flags
  /** Prints to standard error, for progress while the verb runs. */
  readonly say: (text: string) => void
  /** Writes to standard output, for a verb that prints nothing else. */
  readonly write: (text: string) => void
  /**
   * Ends the command with exit code 1 after its output, for a report of problems. The sentence is
   * printed last.
   */
  readonly fail: (sentence?: string) => void
}

export interface Run extends BareRun {
  readonly session: Session
  /** The id of the organization that `--organization` names; without it, of the only one. */
  readonly organization: () => Promise<string>
}

/** Rows to print, or nothing. */
type Printed = Row | readonly Row[] | undefined

export interface VerbPlan extends VerbFlags {
  readonly run: (run: Run) => Promise<Printed>
}

/** A verb without a session: it may run while a store is empty or away. */
export interface BareVerbPlan extends VerbFlags {
  readonly runBare: (run: BareRun) => Promise<Printed>
}

/** A verb of a resource, or a command of one word, such as `setup`. */
export type AnyVerbPlan = VerbPlan | BareVerbPlan

/** The output of a verb reported problems. The message may be empty. */
export class VerbFailed extends Error {}

interface VerbFlags {
  readonly verb: string
  /** Names of earlier versions. They keep working and `--help` does not list them. */
  readonly aliases?: readonly string[]
  /**
   * An earlier verb whose flags differ from its successor's: it works, and `--help` does not list
   * it.
   */
  readonly isHidden?: boolean
  /**
   * The `operationId` of the API operation that calls the same action; undefined when there is
   * none.
   */
  readonly operation?: string
  readonly summary: string
  /** `--name <name>` with its meaning. A meaning that ends with `!` makes the flag required. */
  readonly flags?: Readonly<Record<string, string>>
  /** A flag that may also be given without its name, as in `api-key revoke ID`. */
  readonly operand?: FlagName
  /**
   * The public addresses that the verb prints or stores. It is refused, before it changes anything,
   * when one of them is unknown.
   */
  readonly addresses?: readonly AddressName[]
  /** The verb itself checks whether the operand is required. */
  readonly isOperandOptional?: boolean
}

/** One resource of the command line, such as `project`. */
export interface Thing {
  readonly name: string
  /** Names of earlier versions. They keep working and `--help` does not list them. */
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly loadVerbs: () => Promise<readonly AnyVerbPlan[]>
}

export async function addThing(program: Command, thing: Thing, io: AdminIo): Promise<void> {
  const verbs = await thing.loadVerbs()
  for (const name of [thing.name, ...(thing.aliases ?? [])]) {
    const parent = new Command(name).description(thing.summary).copyInheritedSettings(program)
    program.addCommand(parent, { hidden: name !== thing.name })
    for (const plan of verbs) {
      parent.addCommand(verbCommand(plan, parent, io), { hidden: plan.isHidden === true })
      for (const alias of plan.aliases ?? []) {
        parent.addCommand(verbCommand({ ...plan, verb: alias }, parent, io), { hidden: true })
      }
    }
  }
}

/** Adds a command of one word, such as `setup`. */
export function addCommand(program: Command, plan: AnyVerbPlan, io: AdminIo): void {
  program.addCommand(verbCommand(plan, program, io))
}

function verbCommand(plan: AnyVerbPlan, parent: Command, io: AdminIo): Command {
  const command = new Command(plan.verb).description(plan.summary).copyInheritedSettings(parent)
  for (const [flag, meaning] of Object.entries(plan.flags ?? {})) {
    if (meaning.endsWith('!')) command.requiredOption(flag, meaning.slice(0, -1))
    else command.option(flag, meaning)
  }
  const named = '--organization <organization>'
  if ('run' in plan && plan.flags?.[named] === undefined) {
    command.option(named, 'id or name of the organization; required when there are several')
  }
  command.option('--json', 'print one JSON value only')
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
    let failure: VerbFailed | undefined
    const fail = (sentence = '') => {
      failure = new VerbFailed(sentence)
    }
    const run = { env: io.env, flags: all, say: io.stderr, write: io.stdout, fail }
    const printed = 'runBare' in plan ? await plan.runBare(run) : await runInSession(plan, run)
    if (printed !== undefined) io.stdout(all.json ? asJson(printed) : asText(printed))
    if (failure !== undefined) throw failure
  })
  return command
}

function runInSession(plan: VerbPlan, run: BareRun): Promise<Printed> {
  return withSession(run.env, (session) => {
    requireAddresses(session, plan.addresses ?? [])
    const organization = () => chooseOrganization(session.pg, run.flags.organization)
    return plan.run({ ...run, session, organization })
  })
}
