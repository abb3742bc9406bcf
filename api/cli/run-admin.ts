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
import {
  type AdminIo,
  type AnyVerbPlan,
  addCommand,
  addThing,
  type Thing,
  VerbFailed,
} from './command.ts'
import { organizationVerbs, projectVerbs } from './commands/accounts/account-commands.ts'
import { auditVerbs } from './commands/accounts/audit-commands.ts'
import { accessTokenVerbs, apiKeyVerbs } from './commands/accounts/credential-commands.ts'
import { deletionVerbs } from './commands/accounts/deletion-commands.ts'
import { dsnKeyVerbs } from './commands/accounts/dsn-key-commands.ts'
import { ownershipVerbs } from './commands/accounts/ownership-commands.ts'
import { personVerbs } from './commands/accounts/person-commands.ts'
import { personDataVerbs } from './commands/accounts/person-data-commands.ts'
import { quotaVerbs } from './commands/accounts/quota-commands.ts'
import { secretVerbs } from './commands/accounts/secret-commands.ts'
import { setupCommand } from './commands/accounts/setup-command.ts'
import { teamVerbs } from './commands/accounts/team-commands.ts'
import { alertVerbs } from './commands/alerts/alert-commands.ts'
import { webhookVerbs } from './commands/alerts/webhook-commands.ts'
import { deadLetterVerbs } from './commands/dead-letter-commands.ts'
import { doctorCommand } from './commands/doctor-command.ts'
import { blockedDomainVerbs } from './commands/email/blocked-domain-commands.ts'
import { bounceAdapterVerbs, bounceVerbs } from './commands/email/bounce-commands.ts'
import { campaignVerbs } from './commands/email/campaign-commands.ts'
import { contactVerbs } from './commands/email/contact-commands.ts'
import { contactImportVerbs } from './commands/email/contact-import-commands.ts'
import { domainVerbs } from './commands/email/domain-commands.ts'
import { deliveryVerbs, emailVerbs } from './commands/email/email-commands.ts'
import { newsletterVerbs } from './commands/email/newsletter-commands.ts'
import { suppressionVerbs } from './commands/email/suppression-commands.ts'
import { backupVerbs } from './commands/operations/backup-commands.ts'
import { partitionVerbs } from './commands/operations/partition-commands.ts'
import { reconcileCommand } from './commands/operations/reconcile-command.ts'
import { commentVerbs } from './commands/portal/comment-commands.ts'
import { feedbackVerbs } from './commands/portal/feedback-commands.ts'
import { ideaVerbs } from './commands/portal/idea-commands.ts'
import { ideaTagVerbs } from './commands/portal/idea-tag-commands.ts'
import { portalSettingsVerbs } from './commands/portal/portal-settings-commands.ts'
import { releaseVerbs } from './commands/release-commands.ts'
import { upgradeCommand } from './commands/upgrade-command.ts'
import { UsageError } from './usage-error.ts'

export type { AdminIo } from './command.ts'

export const things: readonly Thing[] = [
  { name: 'organization', summary: 'Organizations', verbs: organizationVerbs },
  { name: 'person', summary: 'People who can log in', verbs: personVerbs },
  { name: 'team', summary: 'Teams of people, which issues are assigned to', verbs: teamVerbs },
  {
    name: 'person-data',
    summary: 'What is stored about one person: show it, export it, erase it',
    verbs: personDataVerbs,
  },
  { name: 'deletion', summary: 'Progress and receipts of deletions', verbs: deletionVerbs },
  { name: 'audit-log', summary: 'Who changed what', verbs: auditVerbs },
  { name: 'project', summary: 'Projects of an organization', verbs: projectVerbs },
  {
    name: 'dsn-key',
    aliases: ['key'],
    summary: 'DSN keys of a project, for SDKs',
    verbs: dsnKeyVerbs,
  },
  {
    name: 'ownership',
    summary: 'Rules that give new issues of a project their owners',
    verbs: ownershipVerbs,
  },
  {
    name: 'release',
    summary: 'Releases of a project and their deploys',
    verbs: releaseVerbs,
  },
  { name: 'alert', summary: 'Alert rules of a project', verbs: alertVerbs },
  {
    name: 'webhook',
    summary: 'Webhooks for events of the product',
    verbs: webhookVerbs,
  },
  { name: 'quota', summary: 'Event limits of a project and their use', verbs: quotaVerbs },
  {
    name: 'access-token',
    aliases: ['token'],
    summary: 'Access tokens for scripts (oat_…)',
    verbs: accessTokenVerbs,
  },
  { name: 'api-key', summary: 'Keys of the email API (emk_…)', verbs: apiKeyVerbs },
  { name: 'newsletter', summary: 'Newsletters of an organization', verbs: newsletterVerbs },
  { name: 'contact', summary: 'Contacts of a newsletter', verbs: contactVerbs },
  {
    name: 'contact-import',
    summary: 'Contact imports that were uploaded over the API',
    verbs: contactImportVerbs,
  },
  {
    name: 'blocked-domain',
    summary: 'Domains whose addresses cannot subscribe',
    verbs: blockedDomainVerbs,
  },
  {
    name: 'campaign',
    summary: 'Campaigns of a newsletter and their delivery',
    verbs: campaignVerbs,
  },
  { name: 'delivery', summary: 'Deliveries of a campaign', verbs: deliveryVerbs },
  { name: 'email', summary: 'Transactional and system emails', verbs: emailVerbs },
  { name: 'portal', summary: 'The ideas portal of a project', verbs: portalSettingsVerbs },
  { name: 'idea', summary: 'Ideas of a portal', verbs: ideaVerbs },
  { name: 'idea-tag', summary: 'Tags of ideas', verbs: ideaTagVerbs },
  { name: 'comment', summary: 'Comments on ideas', verbs: commentVerbs },
  { name: 'feedback', summary: 'Feedback on a project', verbs: feedbackVerbs },
  { name: 'domain', summary: 'Sending domains of an organization', verbs: domainVerbs },
  { name: 'partitions', summary: 'Partitions and streams of the bus', verbs: partitionVerbs },
  { name: 'secret', summary: 'The secret of the installation', verbs: secretVerbs },
  { name: 'suppression', summary: 'Addresses that no email is sent to', verbs: suppressionVerbs },
  { name: 'bounce', summary: 'Bounces and complaints', verbs: bounceVerbs },
  {
    name: 'bounce-adapter',
    summary: 'Webhooks through which providers report bounces',
    verbs: bounceAdapterVerbs,
  },
  {
    name: 'dead-letter',
    summary: 'Records that could not be processed, kept for a retry',
    verbs: deadLetterVerbs,
  },
  { name: 'backup', summary: 'Backups of the whole installation', verbs: backupVerbs },
]

/** `--help` lists them before the things, and the checks after them. */
const firstCommands: readonly AnyVerbPlan[] = [setupCommand, reconcileCommand]
const checkCommands: readonly AnyVerbPlan[] = [doctorCommand, upgradeCommand]
/** Commands of one word. */
export const commands = [...firstCommands, ...checkCommands]

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
  for (const plan of firstCommands) addCommand(program, plan, io)
  for (const thing of things) addThing(program, thing, io)
  for (const plan of checkCommands) addCommand(program, plan, io)
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
