/**
 * The resources of the command line, in the order of `--help`. Their commands import most of the
 * API, so only those of the resource that is named are loaded: that halves the time of a command.
 */
import type { Thing } from './command.ts'

export const things: readonly Thing[] = [
  {
    name: 'organization',
    summary: 'Organizations',
    loadVerbs: async () =>
      (await import('./commands/accounts/account-commands.ts')).organizationVerbs,
  },
  {
    name: 'person',
    summary: 'People who can log in',
    loadVerbs: async () => (await import('./commands/accounts/person-commands.ts')).personVerbs,
  },
  {
    name: 'team',
    summary: 'Teams of people, which issues are assigned to',
    loadVerbs: async () => (await import('./commands/accounts/team-commands.ts')).teamVerbs,
  },
  {
    name: 'person-data',
    summary: 'What is stored about one person: show it, export it, erase it',
    loadVerbs: async () =>
      (await import('./commands/accounts/person-data-commands.ts')).personDataVerbs,
  },
  {
    name: 'deletion',
    summary: 'Progress and receipts of deletions',
    loadVerbs: async () => (await import('./commands/accounts/deletion-commands.ts')).deletionVerbs,
  },
  {
    name: 'audit-log',
    summary: 'Who changed what',
    loadVerbs: async () => (await import('./commands/accounts/audit-commands.ts')).auditVerbs,
  },
  {
    name: 'project',
    summary: 'Projects of an organization',
    loadVerbs: async () => (await import('./commands/accounts/account-commands.ts')).projectVerbs,
  },
  {
    name: 'dsn-key',
    aliases: ['key'],
    summary: 'DSN keys of a project, for SDKs',
    loadVerbs: async () => (await import('./commands/accounts/dsn-key-commands.ts')).dsnKeyVerbs,
  },
  {
    name: 'ownership',
    summary: 'Rules that give new issues of a project their owners',
    loadVerbs: async () =>
      (await import('./commands/accounts/ownership-commands.ts')).ownershipVerbs,
  },
  {
    name: 'release',
    summary: 'Releases of a project and their deploys',
    loadVerbs: async () => (await import('./commands/release-commands.ts')).releaseVerbs,
  },
  {
    name: 'grouping',
    summary: 'Rules that group events of a project in other ways',
    loadVerbs: async () => (await import('./commands/accounts/grouping-commands.ts')).groupingVerbs,
  },
  {
    name: 'alert',
    summary: 'Alert rules of a project',
    loadVerbs: async () => (await import('./commands/alerts/alert-commands.ts')).alertVerbs,
  },
  {
    name: 'webhook',
    summary: 'Webhooks for events of the product',
    loadVerbs: async () => (await import('./commands/alerts/webhook-commands.ts')).webhookVerbs,
  },
  {
    name: 'quota',
    summary: 'Event limits of a project and their use',
    loadVerbs: async () => (await import('./commands/accounts/quota-commands.ts')).quotaVerbs,
  },
  {
    name: 'access-token',
    aliases: ['token'],
    summary: 'Access tokens for scripts (oat_…)',
    loadVerbs: async () =>
      (await import('./commands/accounts/credential-commands.ts')).accessTokenVerbs,
  },
  {
    name: 'api-key',
    summary: 'Keys of the email API (emk_…)',
    loadVerbs: async () => (await import('./commands/accounts/credential-commands.ts')).apiKeyVerbs,
  },
  {
    name: 'newsletter',
    summary: 'Newsletters of an organization',
    loadVerbs: async () =>
      (await import('./commands/email/newsletter-commands.ts')).newsletterVerbs,
  },
  {
    name: 'contact',
    summary: 'Contacts of a newsletter',
    loadVerbs: async () => (await import('./commands/email/contact-commands.ts')).contactVerbs,
  },
  {
    name: 'contact-import',
    summary: 'Contact imports that were uploaded over the API',
    loadVerbs: async () =>
      (await import('./commands/email/contact-import-commands.ts')).contactImportVerbs,
  },
  {
    name: 'blocked-domain',
    summary: 'Domains whose addresses cannot subscribe',
    loadVerbs: async () =>
      (await import('./commands/email/blocked-domain-commands.ts')).blockedDomainVerbs,
  },
  {
    name: 'campaign',
    summary: 'Campaigns of a newsletter and their delivery',
    loadVerbs: async () => (await import('./commands/email/campaign-commands.ts')).campaignVerbs,
  },
  {
    name: 'delivery',
    summary: 'Deliveries of a campaign',
    loadVerbs: async () => (await import('./commands/email/email-commands.ts')).deliveryVerbs,
  },
  {
    name: 'email',
    summary: 'Transactional and system emails',
    loadVerbs: async () => (await import('./commands/email/email-commands.ts')).emailVerbs,
  },
  {
    name: 'portal',
    summary: 'The ideas portal of a project',
    loadVerbs: async () =>
      (await import('./commands/portal/portal-settings-commands.ts')).portalSettingsVerbs,
  },
  {
    name: 'idea',
    summary: 'Ideas of a portal',
    loadVerbs: async () => (await import('./commands/portal/idea-commands.ts')).ideaVerbs,
  },
  {
    name: 'idea-tag',
    summary: 'Tags of ideas',
    loadVerbs: async () => (await import('./commands/portal/idea-tag-commands.ts')).ideaTagVerbs,
  },
  {
    name: 'comment',
    summary: 'Comments on ideas',
    loadVerbs: async () => (await import('./commands/portal/comment-commands.ts')).commentVerbs,
  },
  {
    name: 'feedback',
    summary: 'Feedback on a project',
    loadVerbs: async () => (await import('./commands/portal/feedback-commands.ts')).feedbackVerbs,
  },
  {
    name: 'domain',
    summary: 'Sending domains of an organization',
    loadVerbs: async () => (await import('./commands/email/domain-commands.ts')).domainVerbs,
  },
  {
    name: 'partitions',
    summary: 'Partitions and streams of the bus',
    loadVerbs: async () =>
      (await import('./commands/operations/partition-commands.ts')).partitionVerbs,
  },
  {
    name: 'secret',
    summary: 'The secret of the installation',
    loadVerbs: async () => (await import('./commands/accounts/secret-commands.ts')).secretVerbs,
  },
  {
    name: 'suppression',
    summary: 'Addresses that no email is sent to',
    loadVerbs: async () =>
      (await import('./commands/email/suppression-commands.ts')).suppressionVerbs,
  },
  {
    name: 'bounce',
    summary: 'Bounces and complaints',
    loadVerbs: async () => (await import('./commands/email/bounce-commands.ts')).bounceVerbs,
  },
  {
    name: 'bounce-adapter',
    summary: 'Webhooks through which providers report bounces',
    loadVerbs: async () => (await import('./commands/email/bounce-commands.ts')).bounceAdapterVerbs,
  },
  {
    name: 'dead-letter',
    summary: 'Records that could not be processed, kept for a retry',
    loadVerbs: async () => (await import('./commands/dead-letter-commands.ts')).deadLetterVerbs,
  },
  {
    name: 'backup',
    summary: 'Backups of the whole installation',
    loadVerbs: async () => (await import('./commands/operations/backup-commands.ts')).backupVerbs,
  },
]
