/** `test`, `list-deliveries` and `replay-delivery` of alert rules and of webhooks. */
import { z } from 'zod'
import { type DeliveryItem, DeliveryListQuery } from '#schemas/rest/alerts/delivery.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import type { DeliveryOwner } from '../../../notifications/delivery-owner-store.ts'
import type { StoredDelivery } from '../../../notifications/delivery-store.ts'
import { deliveryItem } from '../../../notifications/delivery-view.ts'
import { listPage } from '../../../notifications/list-page.ts'
import { replayDelivery } from '../../../notifications/replay-delivery.ts'
import { sendTest } from '../../../notifications/send-test.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { orUnknown } from '../project-actor.ts'

const deliveriesShownMax = 100
const State = DeliveryListQuery.shape.state

export interface OwnedDeliveries {
  /** "an alert rule" or "a webhook". */
  readonly what: string
  readonly operations: { readonly test: string; readonly list: string; readonly replay: string }
  /** Throws a UsageError if the organization has no owner with the id after the verb. */
  readonly ownerOf: (run: Run) => Promise<{ owner: DeliveryOwner; organizationId: string }>
}

export function deliveryVerbs({ what, operations, ownerOf }: OwnedDeliveries): readonly VerbPlan[] {
  return [
    {
      verb: 'test',
      operation: operations.test,
      summary: `Send a test notification to every target of ${what}`,
      operand: 'id',
      run: async (run) => {
        const { owner, organizationId } = await ownerOf(run)
        const actor = commandLineActor(organizationId)
        return (await sendTest(run.session, actor, { owner })).map(testRow)
      },
    },
    {
      verb: 'list-deliveries',
      operation: operations.list,
      summary: `List what was sent for ${what}, newest first, at most ${deliveriesShownMax}; with --json the attempts and the payload, too`,
      operand: 'id',
      flags: { '--status <state>': 'pending, delivered or failed' },
      run: async (run) => {
        const state = check(State, '--status', run.flags.status)
        const { owner } = await ownerOf(run)
        const query = { limit: deliveriesShownMax, state }
        const { items } = await listPage(run.session, owner, query)
        return run.flags.json === true ? items : items.map(rowOf)
      },
    },
    {
      verb: 'replay-delivery',
      operation: operations.replay,
      summary: `Send a delivery of ${what} again, with the same id and body`,
      operand: 'id',
      flags: { '--delivery <id>': 'its id, as `list-deliveries` prints it!' },
      run: async (run) => {
        const deliveryId = check(z.guid(), '--delivery', run.flags.delivery ?? '').toLowerCase()
        const { owner, organizationId } = await ownerOf(run)
        const actor = commandLineActor(organizationId)
        const replayed = await orUnknown(
          `No delivery has the id ${deliveryId}: see \`list-deliveries\`.`,
          replayDelivery(run.session, actor, { owner, deliveryId }),
        )
        const item = deliveryItem(replayed)
        return run.flags.json === true ? item : rowOf(item)
      },
    },
  ]
}

/** The last attempt says why a delivery is not delivered. */
function rowOf({ id, at, target, state, attempts, payload, next_attempt_at }: DeliveryItem) {
  const last = attempts.at(-1)
  return {
    id,
    at,
    type: payload['type'],
    target: target.type,
    state,
    attempts: attempts.length,
    status: last?.status,
    error: last?.error,
    next_attempt_at,
  }
}

/** What a test prints of each target: the log of deliveries has the result a moment later. */
function testRow({ id, target, state }: StoredDelivery) {
  return { delivery: id, target: target.id, type: target.type, state }
}
