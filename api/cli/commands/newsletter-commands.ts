/** `newsletter`: what readers subscribe to, and how it is set up. */
import { z } from 'zod'
import { DisplayName, NewsletterSlug } from '#schemas/rest/account.ts'
import { NewsletterChange } from '#schemas/rest/email/newsletter.ts'
import { addAudit } from '../../audit/audit-store.ts'
import {
  addNewsletterRow,
  changeNewsletterRow,
  findNewsletterRow,
  type NewsletterRow,
} from '../../newsletters/organization-newsletter-store.ts'
import { requireWelcome } from '../../newsletters/require-welcome.ts'
import { listNewsletters } from '../../organization/account-lists.ts'
import { requireFromAddress } from '../../sending-domains/from-address.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { withActor } from '../with-actor.ts'

const Switch = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on')

/** A flag, the setting it changes and what it means; `none` takes away what may be missing. */
const textFlags = [
  ['from-name', 'from_name', 'the sender’s name that readers see, or none'],
  ['reply-to', 'reply_to', 'where answers go, or none'],
  ['description', 'description', 'what it is about, or none'],
  ['postal-address', 'postal_address', 'stands below every issue, or none'],
  ['logo-url', 'logo_url', 'an image on top of every issue, or none'],
  ['footer', 'footer', 'text below every issue, or none'],
  ['locale', 'locale', 'a language tag, as en'],
  ['redirect-url', 'confirm_redirect_url', 'where a reader lands after confirming, or none'],
] as const
const switchFlags = [
  ['confirm-signups', 'confirm_signups', 'on: readers confirm their address before they get mail'],
  ['archive', 'archive_enabled', 'on: sent issues can be read on the web'],
  ['archive-noindex', 'archive_noindex', 'on: search engines leave the archive out'],
  ['track-opens', 'track_opens', 'on or off'],
  ['track-clicks', 'track_clicks', 'on or off'],
  ['track-readers', 'track_readers', 'on: it is kept whose opens and clicks they are'],
] as const

const settingFlags = Object.fromEntries([
  ...textFlags.map(([flag, , meaning]) => [`--${flag} <text>`, meaning]),
  ...switchFlags.map(([flag, , meaning]) => [`--${flag} <on|off>`, meaning]),
])

export const newsletterVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Create a newsletter',
    flags: {
      '--slug <slug>': 'how the API names it!',
      '--name <name>': 'the name that readers see!',
      '--from <address>': 'the address it is sent from!',
      '--confirm': 'the same as --confirm-signups on',
      ...settingFlags,
    },
    run: async (run) => {
      const slug = check(NewsletterSlug, '--slug', run.flags.slug)
      const name = check(DisplayName, '--name', run.flags.name)
      const confirm = run.flags.confirm === true ? { confirm_signups: true } : {}
      const from_address = addressOf(run)
      const body = { ...settingsOf(run), ...confirm, slug, name, from_address }
      await requireFrom(run, from_address)
      const row = await withActor(run, async (client, actor) => {
        const made = await addNewsletterRow(client, actor.organizationId, body)
        await addAudit(client, actor, {
          action: 'newsletter.created',
          subjectType: 'newsletter',
          subjectId: made.id,
          details: { slug, name },
        })
        return made
      })
      return card(row)
    },
  },
  {
    verb: 'change',
    summary: 'Change a newsletter: its slug or id',
    operand: 'slug',
    flags: {
      '--name <name>': 'the name that readers see',
      '--from <address>': 'the address it is sent from',
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
      if (from !== undefined) await requireFrom(run, addressOf(run))
      const now = new Date(run.session.clock.nowMs())
      const row = await withActor(run, async (client, actor) => {
        const { organizationId } = actor
        const { id, slug } = named(
          await findNewsletterRow(client, { organizationId, named: String(run.flags.slug) }),
          run,
        )
        const changed = named(
          await changeNewsletterRow(client, { organizationId, id }, { ...change, now }),
          run,
        )
        requireWelcome(changed)
        await addAudit(client, actor, {
          action: 'newsletter.changed',
          subjectType: 'newsletter',
          subjectId: id,
          details: { slug, fields: Object.keys(change) },
        })
        return changed
      })
      return { ...row }
    },
  },
  {
    verb: 'show',
    summary: 'Show a newsletter with all its settings: its slug or id',
    operand: 'slug',
    run: async (run) => {
      const organizationId = await run.organization()
      const row = await findNewsletterRow(run.session.pg, {
        organizationId,
        named: String(run.flags.slug),
      })
      return { ...named(row, run) }
    },
  },
  {
    verb: 'list',
    summary: 'List the newsletters of an organization',
    run: async ({ session, organization }) =>
      (await listNewsletters(session.pg, await organization())).map((row) => ({ ...row })),
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

/** As commander names the value of a flag. */
function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, email: string) => email.toUpperCase())
}

function named(row: NewsletterRow | undefined, { flags }: Run): NewsletterRow {
  if (row !== undefined) return row
  throw new UsageError(`No newsletter is called ${flags.slug}: see \`newsletter list\`.`)
}

function card({ id, slug, name, from_address, confirm_signups }: NewsletterRow) {
  return { id, slug, name, from: from_address, confirm: confirm_signups }
}

async function requireFrom(run: Run, address: string): Promise<void> {
  const organizationId = await run.organization()
  await requireFromAddress(run.session, { organizationId, address }, '--from')
}
