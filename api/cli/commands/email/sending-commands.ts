/** The verbs of `campaign` that send, watch and stop a campaign. */
import { setTimeout as sleep } from 'node:timers/promises'
import { BounceType } from '#schemas/mail/bounce.ts'
import { DeliveryState, emailsPerSecondMax } from '#schemas/rest/email/sending.ts'
import { Instant } from '#schemas/rest/page.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { bounceView } from '../../../bounces/bounce-view.ts'
import { listCampaignBounces } from '../../../bounces/email-bounce-store.ts'
import { preflightCampaign } from '../../../campaigns/checks/preflight-campaign.ts'
import { unsubscribeView } from '../../../campaigns/results/left-routes.ts'
import { listUnsubscribes } from '../../../campaigns/results/results-store.ts'
import { cancelCampaign } from '../../../campaigns/sending/cancel-campaign.ts'
import { exportDeliveries } from '../../../campaigns/sending/export-deliveries.ts'
import { getSending } from '../../../campaigns/sending/get-sending.ts'
import { pauseCampaign } from '../../../campaigns/sending/pause-campaign.ts'
import { resendDeliveries } from '../../../campaigns/sending/resend-deliveries.ts'
import { resumeCampaign } from '../../../campaigns/sending/resume-campaign.ts'
import { sendCampaign } from '../../../campaigns/sending/send-campaign.ts'
import { setCampaignRate } from '../../../campaigns/sending/set-campaign-rate.ts'
import { setTransportRate } from '../../../campaigns/sending/set-transport-rate.ts'
import { readTracking } from '../../../tracking/tracking-store.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../../files/export-file.ts'
import { nameFlags } from '../../name-flags.ts'
import { progressLine } from '../../progress-line.ts'
import { UsageError } from '../../usage-error.ts'
import { namedCampaign } from './named-campaign.ts'

const shownMax = 100
const pollMs = 500
const endedStates: readonly string[] = ['sent', 'paused', 'cancelled', 'failed', 'draft']

export const sendingVerbs: readonly VerbPlan[] = [
  {
    verb: 'send',
    operation: 'sendCampaign',
    summary: 'Send a campaign after its preflight checks',
    addresses: ['API_URL'],
    operand: 'id',
    flags: {
      '--yes': 'send it; without this flag only the checks are shown',
      '--at <time>': 'when to send it, as in 2026-12-01T08:00:00Z; now by default',
      '--rate <n>': 'at most this many emails per second',
      '--warm-up': 'at most 200 emails on the first day, and twice as many on each day after it',
      '--force': 'send it although a check found an error',
      '--detach': 'do not wait and show the progress',
    },
    run: send,
  },
  {
    verb: 'progress',
    operation: 'getCampaignProgress',
    summary: 'Show the progress of a campaign',
    operand: 'id',
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      return getSending(run.session, actor, { campaignId })
    },
  },
  {
    verb: 'watch',
    operation: 'getCampaignProgress',
    summary: 'Show the progress of a campaign until its sending ends',
    operand: 'id',
    run: async (run) => watch(run, await namedCampaign(run)),
  },
  {
    verb: 'tracking',
    operation: 'getCampaignTracking',
    summary: 'Show the opens and clicks of a campaign',
    operand: 'id',
    run: async (run) => {
      const { campaignId } = await namedCampaign(run)
      const report = await readTracking(run.session.pg, campaignId)
      if (run.flags.json === true) return { ...report }
      const text = ({ human, total }: { human: number; total: number }) =>
        `${human} by people, ${total} with machines`
      const links = report.links.map((link) => `${link.url}: ${text(link)}`)
      return { opens: text(report.opens), clicks: text(report.clicks), links }
    },
  },
  {
    verb: 'bounces',
    operation: 'listCampaignBounces',
    summary: 'List the bounces and complaints of a campaign, newest first, at most 100',
    operand: 'id',
    flags: { '--type <type>': BounceType.options.join(', ') },
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      const rows = await listCampaignBounces(run.session.pg, {
        organizationId: actor.organizationId,
        campaignId,
        type: check(BounceType.optional(), '--type', run.flags.type),
        beforeId: undefined,
        rowsMax: shownMax,
      })
      return rows.map(bounceView).map(({ id: _, receivedAt: _receivedAt, ...row }) => row)
    },
  },
  {
    verb: 'unsubscribes',
    operation: 'listCampaignUnsubscribes',
    summary: 'List who unsubscribed with a link of a campaign, newest first, at most 100',
    operand: 'id',
    run: async (run) => {
      const { campaignId } = await namedCampaign(run)
      const page = { campaignId, before: undefined, rowsMax: shownMax }
      return (await listUnsubscribes(run.session.pg, page)).map(unsubscribeView)
    },
  },
  step('pause', 'Pause a campaign', pauseCampaign),
  step('resume', 'Resume a paused campaign', resumeCampaign),
  step('cancel', 'Cancel a campaign for good', cancelCampaign),
  {
    verb: 'rate',
    operation: 'setCampaignRate',
    summary: 'Limit the rate of a campaign',
    operand: 'id',
    flags: { '--rate <n>': 'at most this many emails per second; no limit by default' },
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      const ratePerSecond = readRate(run)
      return setCampaignRate(run.session, actor, { campaignId, ratePerSecond })
    },
  },
  {
    verb: 'resend',
    operation: 'resendDeliveries',
    summary: 'Resend uncertain or failed deliveries; recipients may get the email twice',
    operand: 'id',
    flags: { '--status <state>': 'uncertain or failed; uncertain by default' },
    run: async (run) => {
      const state = run.flags.status ?? 'uncertain'
      if (state !== 'uncertain' && state !== 'failed') {
        throw new UsageError('--status must be uncertain or failed.')
      }
      const { actor, campaignId } = await namedCampaign(run)
      return resendDeliveries(run.session, actor, { campaignId, state })
    },
  },
  {
    verb: 'export',
    operation: 'exportDeliveries',
    summary: 'Export the deliveries of a campaign to a CSV file',
    operand: 'id',
    flags: {
      '--file <path>': 'the file to write!',
      '--status <state>': 'export deliveries in one state only, as in failed',
      ...forceFlag,
    },
    run: async (run) => {
      const { file: path = '', force, status } = run.flags
      await checkExportFile({ path, force })
      const state = check(DeliveryState.optional(), '--status', status)
      const { actor, campaignId } = await namedCampaign(run)
      const { lines } = await exportDeliveries(run.session, actor, { campaignId, state })
      return writeExportFile({ path, force }, lines)
    },
  },
  {
    verb: 'throttle',
    operation: 'setTransportRate',
    summary: 'Limit the rate of all campaigns together',
    flags: { '--rate <n>': 'at most this many emails per second; no limit by default' },
    run: async (run) => {
      const ratePerSecond = readRate(run)
      const actor = commandLineActor(await run.organization())
      return setTransportRate(run.session, actor, { ratePerSecond })
    },
  },
]

async function send(run: Run) {
  const { session, flags } = run
  const named = await namedCampaign(run)
  const { actor, campaignId } = named
  const { ready, checks, audience } = await preflightCampaign(session, actor, { campaignId })
  for (const { level, sentence } of checks) run.say(`${level.padEnd(8)} ${sentence}\n`)
  if (flags.yes !== true) {
    run.say(`\nThis would be sent to ${audience.receiving} subscribers. Add --yes to send it.\n`)
    return { ready, ...audience }
  }
  const request = {
    scheduledAt: flags.at === undefined ? null : check(Instant, '--at', flags.at),
    ratePerSecond: readRate(run),
    warmUp: flags.warmUp === true,
    force: flags.force === true,
  }
  const started = await nameFlags({ scheduledAt: '--at' }, () =>
    sendCampaign(session, actor, { campaignId, ...request }),
  )
  return flags.at !== undefined || flags.detach === true ? started : watch(run, named)
}

function step(verb: string, summary: string, change: typeof resumeCampaign): VerbPlan {
  return {
    verb,
    operation: `${verb}Campaign`,
    summary,
    operand: 'id',
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      return change(run.session, actor, { campaignId })
    },
  }
}

async function watch(
  { session, flags, say }: Run,
  { actor, campaignId }: Awaited<ReturnType<typeof namedCampaign>>,
) {
  const show = flags.json === true ? () => undefined : say
  for (;;) {
    const now = await getSending(session, actor, { campaignId })
    show(`\r${progressLine(now)}`)
    if (endedStates.includes(now.state)) {
      show('\n')
      return now
    }
    await sleep(pollMs)
  }
}

/** Null: no limit. */
function readRate({ flags: { rate: text } }: Run): number | null {
  if (text === undefined) return null
  const rate = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (rate < 1 || rate > emailsPerSecondMax) {
    throw new UsageError(`--rate must be a whole number from 1 to ${emailsPerSecondMax}.`)
  }
  return rate
}
