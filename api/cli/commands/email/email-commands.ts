/** `email` and `delivery`: what happened to the emails that were sent. */
import type { BounceItem } from '#schemas/rest/email/bounce.ts'
import type { DeliveryAttempt } from '#schemas/rest/email/delivery-attempt.ts'
import { SendLogItem, SendStatus } from '#schemas/rest/email/send.ts'
import { DeliveryState } from '#schemas/rest/email/sending.ts'
import { SearchText } from '#schemas/rest/page.ts'
import { listDeliveries } from '../../../campaigns/sending/delivery-store.ts'
import { getDelivery } from '../../../campaigns/sending/get-delivery.ts'
import { deliveryView } from '../../../campaigns/sending/sending-view.ts'
import { getSend } from '../../../sends/get-send.ts'
import { listSends } from '../../../sends/send-log-store.ts'
import { logItemOf, statesOf } from '../../../sends/send-report.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { idIn, orUnknown } from '../project-actor.ts'
import { namedCampaign } from './named-campaign.ts'

const emailsShownMax = 100
const deliveriesShownMax = 100
const EmailKind = SendLogItem.shape.kind

export const emailVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listEmails',
    summary: 'List transactional and system emails, newest first, at most 100',
    flags: {
      '--status <status>': SendStatus.options.join(', '),
      '--type <kind>': EmailKind.options.join(', '),
      '--search <text>': 'part of the address',
    },
    run: async ({ session, flags, organization }) => {
      const status = check(SendStatus.optional(), '--status', flags.status)
      const rows = await listSends(session.pg, {
        organizationId: await organization(),
        states: status === undefined ? undefined : statesOf(status),
        kind: check(EmailKind.optional(), '--type', flags.type),
        query: check(SearchText.optional(), '--search', flags.search),
        before: undefined,
        rowsMax: emailsShownMax,
      })
      return rows.map((row) => ({ ...logItemOf(row) }))
    },
  },
  {
    verb: 'show',
    operation: 'getEmail',
    summary: 'Show a transactional or system email with its attempts',
    operand: 'id',
    run: async (run) => {
      const id = idIn(run)
      const organization = { organizationId: await run.organization() }
      const unknown = `No email has the id ${id}: see \`email list\`.`
      const email = await orUnknown(unknown, getSend(run.session, organization, { id }))
      return run.flags.json === true ? email : { ...email, ...historyLines(email) }
    },
  },
]

export const deliveryVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listDeliveries',
    summary: 'List the deliveries of a campaign, named by its id, at most 100',
    operand: 'id',
    flags: {
      '--status <state>': DeliveryState.options.join(', '),
      '--search <text>': 'part of the address',
    },
    run: async (run) => {
      const { campaignId } = await namedCampaign(run)
      const rows = await listDeliveries(run.session.pg, {
        campaignId,
        state: check(DeliveryState.optional(), '--status', run.flags.status),
        search: check(SearchText.optional(), '--search', run.flags.search),
        after: undefined,
        rowsMax: deliveriesShownMax,
      })
      return rows.map((row) => ({ ...deliveryView(row) }))
    },
  },
  {
    verb: 'show',
    operation: 'getDelivery',
    summary: 'Show a delivery of a campaign, named by its id, with its attempts',
    operand: 'id',
    flags: { '--contact <id>': 'the contact: see `delivery list`!' },
    run: async (run) => {
      const { actor, campaignId } = await namedCampaign(run)
      const contactId = String(run.flags.contact)
      const unknown = `The campaign has no delivery to the contact ${contactId}: see \`delivery list\`.`
      const asked = getDelivery(run.session, actor, { campaignId, contactId })
      const delivery = await orUnknown(unknown, asked)
      return run.flags.json === true ? delivery : { ...delivery, ...historyLines(delivery) }
    },
  },
]

/** One line for each attempt and each report. */
function historyLines({
  attemptLog,
  bounces,
}: {
  readonly attemptLog: readonly DeliveryAttempt[]
  readonly bounces: readonly BounceItem[]
}) {
  return {
    attemptLog: attemptLog.map(({ at, server, tls, result, code, enhanced, text }) =>
      [at, server, tls ?? 'unencrypted', result, code, enhanced, text.replaceAll('\n', ' ')]
        .filter((part) => part !== null)
        .join(' '),
    ),
    bounces: bounces.map(({ at, type, cause, excerpt }) =>
      [at, type, cause, excerpt].filter((part) => part !== null).join(' '),
    ),
  }
}
