/**
 * `campaign`: drafts from files, preflight checks and test emails. Sending is in
 * `sending-commands.ts`.
 */
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { NewCampaign } from '#schemas/rest/email/campaign.ts'
import { CampaignChange } from '#schemas/rest/email/campaign-admin.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { campaignDetail } from '../../../campaigns/campaign-reply.ts'
import { listCampaigns } from '../../../campaigns/campaign-store.ts'
import { preflightCampaign } from '../../../campaigns/checks/preflight-campaign.ts'
import { sendTestEmail } from '../../../campaigns/checks/send-test-email.ts'
import { createCampaign } from '../../../campaigns/create-campaign.ts'
import { deleteCampaign } from '../../../campaigns/delete-campaign.ts'
import { duplicateCampaign } from '../../../campaigns/duplicate-campaign.ts'
import { updateCampaign } from '../../../campaigns/update-campaign.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { nameFlags } from '../../name-flags.ts'
import { UsageError } from '../../usage-error.ts'
import { namedCampaign } from './named-campaign.ts'
import { sendingVerbs } from './sending-commands.ts'

const shownMax = 100

const draftVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listCampaigns',
    summary: 'List campaigns, newest first, at most 100',
    flags: { '--newsletter <slug>': 'list campaigns of one newsletter only' },
    run: async ({ session, flags, organization }) => {
      const organizationId = await organization()
      const { newsletter } = flags
      const page = { newsletter, states: undefined, after: undefined, limit: shownMax }
      const rows = await listCampaigns(session.pg, { organizationId, ...page })
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
    operation: 'createCampaign',
    summary: 'Create a draft from a file, Markdown or HTML by its extension',
    addresses: ['API_URL'],
    flags: {
      '--newsletter <slug>': 'the newsletter that it belongs to!',
      '--subject <subject>': 'its subject!',
      '--file <path>': 'its text, .md or .html!',
      '--preview <text>': 'what mail clients show beside the subject',
    },
    run: async ({ session, flags, organization }) => {
      const { newsletter, subject, file = '', preview } = flags
      const fields = { newsletter, subject, previewText: preview, ...(await readSource(file)) }
      const input = check(NewCampaign, 'The campaign', fields)
      const actor = commandLineActor(await organization())
      const { id, archiveSlug } = await createCampaign(session, actor, input)
      return { id, archiveSlug }
    },
  },
  {
    verb: 'show',
    operation: 'getCampaign',
    summary: 'Show a campaign',
    addresses: ['API_URL'],
    operand: 'id',
    run: async (run) => {
      const { campaign } = await namedCampaign(run)
      return campaignDetail(campaign, run.session.apiUrl)
    },
  },
  {
    verb: 'update',
    operation: 'updateCampaign',
    summary: 'Update a draft',
    addresses: ['API_URL'],
    operand: 'id',
    flags: {
      '--subject <subject>': 'its subject',
      '--file <path>': 'its text, .md or .html',
      '--preview <text>': 'what mail clients show beside the subject',
      '--slug <slug>': 'the last part of its archive address',
    },
    run: async (run) => {
      const { subject, file, preview: previewText, slug: archiveSlug } = run.flags
      const source = file === undefined ? {} : await readSource(file)
      const given = Object.entries({ subject, previewText, archiveSlug, ...source })
      const fields = Object.fromEntries(given.filter(([, value]) => value !== undefined))
      const change = check(CampaignChange, 'The campaign', fields)
      if (Object.keys(fields).length === 0) throw new UsageError('Say what to update: see --help.')
      const { actor, campaignId } = await namedCampaign(run)
      return updateCampaign(run.session, actor, { campaignId, change })
    },
  },
  {
    verb: 'duplicate',
    operation: 'duplicateCampaign',
    summary: 'Create a draft with the subject and text of a campaign',
    addresses: ['API_URL'],
    operand: 'id',
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      const { id, archiveSlug } = await duplicateCampaign(run.session, actor, { campaignId })
      return { id, archiveSlug }
    },
  },
  {
    verb: 'delete',
    operation: 'deleteCampaign',
    summary: 'Delete a draft',
    operand: 'id',
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      await deleteCampaign(run.session, actor, { campaignId })
      return { id: campaignId, deleted: true }
    },
  },
  {
    verb: 'preflight',
    aliases: ['check'],
    operation: 'preflightCampaign',
    summary: 'Run the preflight checks of a campaign',
    addresses: ['API_URL'],
    operand: 'id',
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      const { checks } = await preflightCampaign(run.session, actor, { campaignId })
      return checks.map(({ level, name, sentence }) => ({ level, name, sentence }))
    },
  },
  {
    verb: 'test',
    operation: 'sendTestEmail',
    summary: 'Send a test email to one address',
    operand: 'id',
    flags: { '--email <address>': 'the recipient!' },
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      const to = run.flags.email ?? ''
      return nameFlags({ to: '--email' }, () =>
        sendTestEmail(run.session, actor, { campaignId, to }),
      )
    },
  },
]

export const campaignVerbs: readonly VerbPlan[] = [...draftVerbs, ...sendingVerbs]

async function readSource(path: string): Promise<{ html: string } | { markdown: string }> {
  const text = await readText(path)
  return /^\.html?$/i.test(extname(path)) ? { html: text } : { markdown: text }
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
