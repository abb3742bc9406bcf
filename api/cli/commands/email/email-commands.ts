/** `email` and `delivery`: what happened to the emails that were sent. */
import { SendLogItem, SendStatus } from '#schemas/rest/email/send.ts'
import { DeliveryState } from '#schemas/rest/email/sending.ts'
import { SearchText } from '#schemas/rest/page.ts'
import { listDeliveries } from '../../../campaigns/sending/delivery-store.ts'
import { deliveryView } from '../../../campaigns/sending/sending-view.ts'
import { findSend, listSends } from '../../../sends/send-log-store.ts'
import { logItemOf, statesOf } from '../../../sends/send-report.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'
import { idIn } from '../project-actor.ts'
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
    summary: 'Show the status of a transactional or system email',
    operand: 'id',
    run: async (run) => {
      const id = idIn(run)
      const email = await findSend(run.session.pg, { organizationId: await run.organization(), id })
      if (email === undefined)
        throw new UsageError(`No email has the id ${id}: see \`email list\`.`)
      return { ...logItemOf(email) }
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
]
