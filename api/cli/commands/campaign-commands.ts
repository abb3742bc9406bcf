/** `campaign`: drafts from files, the check before sending, sending with its progress, and what stops and resumes it. */
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { NewCampaign } from '#schemas/rest/email/campaign.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { emailsPerSecondMax } from '#schemas/rest/email/sending.ts'
import { Instant } from '#schemas/rest/page.ts'
import { addAudit, commandLineActor } from '../../audit/audit-store.ts'
import { preflight } from '../../campaigns/campaign-check-routes.ts'
import {
  findCampaign,
  findCampaignNewsletter,
  listCampaigns,
  type StoredCampaign,
} from '../../campaigns/campaign-store.ts'
import { checkComposable, createDraft } from '../../campaigns/create-draft.ts'
import { sendTestEmail } from '../../campaigns/send-test-email.ts'
import {
  cancelCampaign,
  pauseCampaign,
  resendDeliveries,
  resumeCampaign,
  startCampaign,
} from '../../campaigns/sending/change-sending.ts'
import { readSending, setTransportRate } from '../../campaigns/sending/delivery-store.ts'
import { sendingView } from '../../campaigns/sending/sending-view.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { progressLine } from '../progress-line.ts'
import { UsageError } from '../usage-error.ts'

const shownMax = 100
const lookEveryMs = 500
const endedStates: readonly string[] = ['sent', 'paused', 'cancelled', 'failed', 'draft']

export const campaignVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    summary: 'List campaigns, the newest first, at most 100',
    flags: { '--newsletter <slug>': 'only those of one newsletter' },
    run: async ({ session, flags, organization }) => {
      const organizationId = await organization()
      const { newsletter } = flags
      const rows = await listCampaigns(session.pg, {
        ...{ organizationId, newsletter, state: undefined, after: undefined, limit: shownMax },
      })
      return rows.map((row) => ({
        id: row.id,
        newsletter: row.newsletter.slug,
        state: row.state,
        subject: row.subject,
        sent_at: row.sentAt,
      }))
    },
  },
  {
    verb: 'create',
    summary: 'Make a draft from a file, Markdown or HTML by its ending',
    flags: {
      '--newsletter <slug>': 'whose issue it is!',
      '--subject <subject>': 'its subject!',
      '--file <path>': 'the text, .md or .html!',
      '--preview <text>': 'what mail programs show beside the subject',
    },
    run: async ({ session, flags, organization }) => {
      const { newsletter: slug = '', subject, file = '', preview } = flags
      const text = await readText(file)
      const body = /^\.html?$/i.test(extname(file)) ? { html: text } : { markdown: text }
      const fields = { newsletter: slug, subject, previewText: preview, ...body }
      const { newsletter: _slug, ...source } = check(NewCampaign, 'The campaign', fields)
      const organizationId = await organization()
      const newsletter = await findCampaignNewsletter(session.pg, { organizationId, slug })
      if (newsletter === undefined) throw new UsageError(`No newsletter has the slug ${slug}.`)
      await checkComposable(session, organizationId, source)
      const now = new Date(session.clock.nowMs())
      return session.pg.transaction(async (pg) => {
        const draft = await createDraft(pg, { newsletter, source, createdBy: 'admin', now })
        const subjectOf = { subjectType: 'campaign', subjectId: draft.id }
        await addAudit(pg, commandLineActor(organizationId), {
          action: 'campaign.created',
          ...subjectOf,
        })
        return { ...draft }
      })
    },
  },
  {
    verb: 'check',
    summary: 'What to know before sending',
    operand: 'id',
    run: async (run) => {
      const { session } = run
      const { checks } = await preflight(await campaignOf(run), session)
      return checks.map(({ level, name, sentence }) => ({ level, name, sentence }))
    },
  },
  {
    verb: 'test',
    summary: 'Send the letter to one address',
    operand: 'id',
    flags: { '--email <address>': 'who gets it!' },
    run: async (run) => {
      const { session, flags } = run
      const address = parseEmailAddress(flags.email ?? '')
      if (address.kind === 'invalid')
        throw new UsageError(`--email is not valid: it ${address.rule}.`)
      const campaign = await campaignOf(run)
      const actor = commandLineActor(campaign.newsletter.organizationId)
      return {
        ...(await sendTestEmail({ campaign, contact: {}, to: address.email }, actor, session)),
      }
    },
  },
  {
    verb: 'send',
    summary: 'Send a campaign, after a check',
    operand: 'id',
    flags: {
      '--yes': 'send it; without this only the check is shown',
      '--at <time>': 'when, as in 2026-12-01T08:00:00Z; now when left out',
      '--rate <n>': 'letters a second at most',
      '--warm-up': '200 letters on the first day, then twice as many each day',
      '--force': 'also when the check finds errors',
      '--detach': 'do not wait and show the progress',
    },
    run: sendCampaign,
  },
  {
    verb: 'progress',
    summary: 'Where sending stands',
    operand: 'id',
    run: async (run) => progressOf(run, (await campaignOf(run)).id),
  },
  {
    verb: 'watch',
    summary: 'Show the progress until sending ends',
    operand: 'id',
    run: async (run) => watch(run, (await campaignOf(run)).id),
  },
  step('pause', 'Pause sending', pauseCampaign),
  step('resume', 'Go on with a paused campaign', resumeCampaign),
  step('cancel', 'Send nothing more of it, ever', cancelCampaign),
  {
    verb: 'resend',
    summary: 'Send again to those of whom nobody knows whether they got it',
    operand: 'id',
    flags: { '--status <state>': 'uncertain, or failed; uncertain when left out' },
    run: async (run) => {
      const campaign = await campaignOf(run)
      const state = run.flags.status ?? 'uncertain'
      if (state !== 'uncertain' && state !== 'failed') {
        throw new UsageError('--status must be uncertain or failed.')
      }
      const actor = commandLineActor(campaign.newsletter.organizationId)
      const again = { state, contactIds: null } as const
      return { requeued: await resendDeliveries(campaign, again, actor, run.session) }
    },
  },
  {
    verb: 'throttle',
    summary: 'Letters a second of all campaigns together',
    flags: { '--rate <n>': 'at most so many; as fast as it goes when left out' },
    run: async ({ session, flags, organization }) => {
      const ratePerSecond = flags.rate === undefined ? null : readRate(flags.rate)
      const organizationId = await organization()
      await session.pg.transaction(async (pg) => {
        await setTransportRate(pg, ratePerSecond)
        await addAudit(pg, commandLineActor(organizationId), {
          action: 'transport.rate_changed',
          subjectType: 'transport',
          details: { ratePerSecond },
        })
      })
      return { ratePerSecond }
    },
  },
]

async function sendCampaign(run: Run) {
  const { session, flags } = run
  const campaign = await campaignOf(run)
  const { ready, checks, audience } = await preflight(campaign, session)
  for (const { level, sentence } of checks) run.say(`${level.padEnd(8)} ${sentence}\n`)
  if (flags.yes !== true) {
    run.say(`\nThis would go to ${audience.receiving} readers. Add --yes to send it.\n`)
    return { ready, ...audience }
  }
  const at = flags.at === undefined ? undefined : new Date(check(Instant, '--at', flags.at))
  if (at !== undefined && at.getTime() <= session.clock.nowMs()) {
    throw new UsageError('--at is not valid: it must be in the future.')
  }
  const wish = {
    scheduledAt: at,
    rateMax: flags.rate === undefined ? null : readRate(flags.rate),
    warmUp: flags.warmUp === true,
    force: flags.force === true,
  }
  const actor = commandLineActor(campaign.newsletter.organizationId)
  await startCampaign(campaign, wish, actor, session)
  if (at !== undefined || flags.detach === true) return progressOf(run, campaign.id)
  return watch(run, campaign.id)
}

function step(
  verb: string,
  summary: string,
  change: typeof pauseCampaign | typeof resumeCampaign | typeof cancelCampaign,
): VerbPlan {
  return {
    verb,
    summary,
    operand: 'id',
    run: async (run) => {
      const campaign = await campaignOf(run)
      await change(campaign, commandLineActor(campaign.newsletter.organizationId), run.session)
      return progressOf(run, campaign.id)
    },
  }
}

async function watch(run: Run, id: string) {
  for (;;) {
    const now = await progressOf(run, id)
    if (run.flags.json !== true) run.say(`\r${progressLine(now)}`)
    if (endedStates.includes(now.state)) {
      if (run.flags.json !== true) run.say('\n')
      return now
    }
    await sleep(lookEveryMs)
  }
}

async function progressOf({ session }: Run, id: string) {
  const accounting = await readSending(session.pg, id)
  if (accounting === undefined) throw new UsageError('The campaign is gone.')
  return sendingView(accounting)
}

async function campaignOf({ session, flags, organization }: Run): Promise<StoredCampaign> {
  const id = (flags.id ?? '').toLowerCase()
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
  const organizationId = await organization()
  const campaign = isUuid ? await findCampaign(session.pg, { organizationId, id }) : undefined
  if (campaign === undefined) {
    throw new UsageError(`No campaign has the id ${id}: see \`campaign list\`.`)
  }
  return campaign
}

function readRate(text: string): number {
  const rate = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (rate < 1 || rate > emailsPerSecondMax) {
    throw new UsageError(`--rate must be a whole number from 1 to ${emailsPerSecondMax}.`)
  }
  return rate
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > emailBodyBytesMax) {
      throw new UsageError(`${path} is larger than ${emailBodyBytesMax} bytes.`)
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${path} cannot be read.`, { cause: error })
  }
}
