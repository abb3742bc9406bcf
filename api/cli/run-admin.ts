/**
 * The command line: `<thing> <verb> --flags`. With `--json` it prints one JSON value and nothing else;
 * a mistake is one sentence on standard error and exit code 1. Runs inside any process: what it reads
 * and writes comes in.
 */
import { Command, CommanderError } from 'commander'
import { CodedError } from '#schemas/error-codes.ts'
import { type AdminIo, addThing } from './command.ts'
import { organizationVerbs, projectVerbs } from './commands/account-commands.ts'
import { blockedDomainVerbs } from './commands/blocked-domain-commands.ts'
import { campaignVerbs } from './commands/campaign-commands.ts'
import { contactVerbs } from './commands/contact-commands.ts'
import { apiKeyVerbs, keyVerbs, tokenVerbs } from './commands/credential-commands.ts'
import { deadLetterVerbs } from './commands/dead-letter-commands.ts'
import { domainVerbs } from './commands/domain-commands.ts'
import { feedbackVerbs } from './commands/feedback-commands.ts'
import { ideaTagVerbs, ideaVerbs } from './commands/idea-commands.ts'
import { newsletterVerbs } from './commands/newsletter-commands.ts'
import { personVerbs } from './commands/person-commands.ts'
import { portalSettingsVerbs } from './commands/portal-settings-commands.ts'
import { quotaVerbs } from './commands/quota-commands.ts'
import { secretVerbs } from './commands/secret-commands.ts'
import { suppressionVerbs } from './commands/suppression-commands.ts'
import { UsageError } from './usage-error.ts'

export type { AdminIo } from './command.ts'

export const things = [
  { name: 'organization', summary: 'Organizations', verbs: organizationVerbs },
  { name: 'person', summary: 'People who log in', verbs: personVerbs },
  { name: 'project', summary: 'Projects of an organization', verbs: projectVerbs },
  { name: 'key', summary: 'DSN keys of a project', verbs: keyVerbs },
  { name: 'quota', summary: 'Limits of a project and their use', verbs: quotaVerbs },
  { name: 'token', summary: 'Access tokens for scripts (oat_…)', verbs: tokenVerbs },
  { name: 'api-key', summary: 'Keys of the email API (emk_…)', verbs: apiKeyVerbs },
  { name: 'newsletter', summary: 'Newsletters of an organization', verbs: newsletterVerbs },
  { name: 'contact', summary: 'Contacts of newsletters', verbs: contactVerbs },
  {
    name: 'blocked-domain',
    summary: 'Domains whose addresses cannot sign up',
    verbs: blockedDomainVerbs,
  },
  { name: 'campaign', summary: 'Issues of a newsletter, and their sending', verbs: campaignVerbs },
  { name: 'portal', summary: 'The ideas portal of a project', verbs: portalSettingsVerbs },
  { name: 'idea', summary: 'Ideas of a portal', verbs: ideaVerbs },
  { name: 'idea-tag', summary: 'Tags of ideas', verbs: ideaTagVerbs },
  { name: 'feedback', summary: 'What people said about a project', verbs: feedbackVerbs },
  { name: 'domain', summary: 'Domains that letters are sent from', verbs: domainVerbs },
  { name: 'secret', summary: 'The secret of the installation', verbs: secretVerbs },
  { name: 'suppression', summary: 'Addresses that get no emails', verbs: suppressionVerbs },
  {
    name: 'dead-letter',
    summary: 'Records that could not be stored, kept for a retry',
    verbs: deadLetterVerbs,
  },
]

/** The exit code. `args` are what stands after the program's name. */
export async function runAdmin(args: readonly string[], io: AdminIo): Promise<0 | 1> {
  const program = new Command('admin')
    .description('Makes and lists what people own in Sluice.')
    .usage('<thing> <verb> [flags]')
    .exitOverride()
    .configureOutput({
      writeOut: io.stdout,
      // Commander also shows its sentence here; ours is written once, below.
      writeErr: () => undefined,
    })
    .showSuggestionAfterError(false)
  for (const thing of things) addThing(program, thing, io)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    io.stderr(`${sentenceOf(error)}\n`)
    return 1
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help') return 'Say what to do: --help lists it.'
    const text = error.message.replace(/^error: /, '')
    const sentence = text.charAt(0).toUpperCase() + text.slice(1)
    return /[.!?]$/.test(sentence) ? sentence : `${sentence}. Add --help to see what there is.`
  }
  if (error instanceof CodedError && error.code === 'unavailable') {
    return 'Postgres does not answer: is Sluice running?'
  }
  if (error instanceof UsageError || error instanceof CodedError) return error.message
  const detail = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
  return `That failed: ${detail}`
}
