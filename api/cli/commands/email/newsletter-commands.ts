/** `newsletter`: newsletters and their settings. */
import { z } from 'zod'
import { DisplayName, NewsletterSlug } from '#schemas/rest/account.ts'
import { NewsletterChange } from '#schemas/rest/email/newsletter.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { createNewsletter } from '../../../newsletters/create-newsletter.ts'
import { deleteNewsletter } from '../../../newsletters/delete-newsletter.ts'
import { findNewsletterRow } from '../../../newsletters/organization-newsletter-store.ts'
import { updateNewsletter } from '../../../newsletters/update-newsletter.ts'
import { listNewsletters } from '../../../organization/account-lists.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { nameFlags } from '../../name-flags.ts'
import { UsageError } from '../../usage-error.ts'

const fieldFlags = { from_address: '--from' }
const Switch = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on')

/**
 * A flag, the setting it changes and its help text; `none` removes the value of an optional
 * setting.
 */
const textFlags = [
  ['from-name', 'from_name', 'the sender’s name that subscribers see, or none'],
  ['reply-to', 'reply_to', 'the Reply-To address, or none'],
  ['description', 'description', 'its description, or none'],
  ['postal-address', 'postal_address', 'the postal address in the footer of every email, or none'],
  ['logo-url', 'logo_url', 'the URL of an image at the top of every email, or none'],
  ['footer', 'footer', 'the text of the footer of every email, or none'],
  ['locale', 'locale', 'its language as a BCP 47 tag, such as en'],
  ['redirect-url', 'confirm_redirect_url', 'the page that opens after a confirmation, or none'],
] as const
const switchFlags = [
  [
    'confirm-signups',
    'confirm_signups',
    'on: subscribers confirm their address before they get emails',
  ],
  ['archive', 'archive_enabled', 'on: sent campaigns can be read on the web'],
  ['archive-noindex', 'archive_noindex', 'on: search engines are asked not to index the archive'],
  ['track-opens', 'track_opens', 'on: opens are counted'],
  ['track-clicks', 'track_clicks', 'on: clicks are counted'],
  ['track-readers', 'track_readers', 'on: opens and clicks are stored per contact'],
] as const

const settingFlags = Object.fromEntries([
  ...textFlags.map(([flag, , meaning]) => [`--${flag} <text>`, meaning]),
  ...switchFlags.map(([flag, , meaning]) => [`--${flag} <on|off>`, meaning]),
])

export const newsletterVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listNewsletters',
    summary: 'List the newsletters of an organization',
    run: async ({ session, organization }) =>
      (await listNewsletters(session.pg, await organization())).map((row) => ({ ...row })),
  },
  {
    verb: 'create',
    operation: 'createNewsletter',
    summary: 'Create a newsletter',
    flags: {
      '--slug <slug>': 'its name in the API; it never changes!',
      '--name <name>': 'the name that subscribers see!',
      '--from <address>': 'the From address of its emails!',
      '--confirm': 'the same as --confirm-signups on',
      ...settingFlags,
    },
    run: async (run) => {
      const body = {
        ...settingsOf(run),
        ...(run.flags.confirm === true ? { confirm_signups: true } : {}),
        slug: check(NewsletterSlug, '--slug', run.flags.slug),
        name: check(DisplayName, '--name', run.flags.name),
        from_address: addressOf(run),
      }
      const actor = commandLineActor(await run.organization())
      const { id, slug, name, from_address, confirm_signups } = await nameFlags(fieldFlags, () =>
        createNewsletter(run.session, actor, body),
      )
      return { id, slug, name, from: from_address, confirm: confirm_signups }
    },
  },
  {
    verb: 'show',
    operation: 'getNewsletter',
    summary: 'Show a newsletter with all its settings',
    operand: 'slug',
    run: async (run) => ({ ...(await namedNewsletter(run)).row }),
  },
  {
    verb: 'update',
    aliases: ['change'],
    operation: 'updateNewsletter',
    summary: 'Update a newsletter, named by its slug or id',
    operand: 'slug',
    flags: {
      '--name <name>': 'the name that subscribers see',
      '--from <address>': 'the From address of its emails',
      ...settingFlags,
    },
    run: async (run) => {
      const { name, from } = run.flags
      const change = {
        ...settingsOf(run),
        ...(name === undefined ? {} : { name: check(DisplayName, '--name', name) }),
        ...(from === undefined ? {} : { from_address: addressOf(run) }),
      }
      if (Object.keys(change).length === 0) throw new UsageError('Say what to change: see --help.')
      const { actor, row } = await namedNewsletter(run)
      return nameFlags(fieldFlags, () =>
        updateNewsletter(run.session, actor, { named: row.id, change }),
      )
    },
  },
  {
    verb: 'delete',
    operation: 'deleteNewsletter',
    summary: 'Delete a newsletter that has no contacts and no campaigns',
    operand: 'slug',
    run: async (run) => {
      const { actor, row } = await namedNewsletter(run)
      const { id, slug } = await deleteNewsletter(run.session, actor, { named: row.id })
      return { id, slug, deleted: true }
    },
  },
]

function addressOf({ flags }: Run): string {
  return check(NewsletterChange.shape.from_address.unwrap(), '--from', flags.from)
}

function settingsOf({ flags }: Run): NewsletterChange {
  const given = flags as Readonly<Record<string, unknown>>
  const change: Record<string, unknown> = {}
  for (const [flag, setting] of textFlags) {
    const text = given[camelCase(flag)]
    if (text === undefined) continue
    const value = text === 'none' ? null : text
    change[setting] = check(NewsletterChange.shape[setting], `--${flag}`, value)
  }
  for (const [flag, setting] of switchFlags) {
    const text = given[camelCase(flag)]
    if (text !== undefined) change[setting] = check(Switch, `--${flag}`, text)
  }
  return change
}

/** Commander stores the value of `--reply-to` under `replyTo`. */
function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, initial: string) => initial.toUpperCase())
}

async function namedNewsletter({ session, flags, organization }: Run) {
  const actor = commandLineActor(await organization())
  const { organizationId } = actor
  const row = await findNewsletterRow(session.pg, { organizationId, named: String(flags.slug) })
  if (row !== undefined) return { actor, row }
  throw new UsageError(`No newsletter is called ${flags.slug}: see \`newsletter list\`.`)
}
