/** `bounce` and `bounce-adapter`: reports about emails that came back, and where they come from. */
import { BounceCause, BounceType } from '#schemas/mail/bounce.ts'
import { BounceAdapterName } from '#schemas/mail/bounce-adapter.ts'
import { NewBounceAdapter } from '#schemas/rest/email/bounce-adapter.ts'
import { SearchText } from '#schemas/rest/page.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { listBounces } from '../../../bounces/bounce-list-store.ts'
import { listBounceAdapters } from '../../../bounces/webhooks/bounce-adapter-store.ts'
import { bounceAdapterView } from '../../../bounces/webhooks/bounce-adapter-view.ts'
import { createBounceAdapter } from '../../../bounces/webhooks/create-bounce-adapter.ts'
import { deleteBounceAdapter } from '../../../bounces/webhooks/delete-bounce-adapter.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { readJsonFlag } from '../../json-flag.ts'
import { sessionWith } from '../../session.ts'
import { idIn, orUnknown } from '../project-actor.ts'

const bouncesShownMax = 100

export const bounceVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listBounces',
    summary: 'List bounces and complaints, newest first, at most 100',
    flags: {
      '--type <type>': BounceType.options.join(', '),
      '--cause <cause>': BounceCause.options.join(', '),
      '--search <text>': 'part of the address',
    },
    run: async ({ session, flags, organization }) =>
      listBounces(session.pg, {
        type: check(BounceType.optional(), '--type', flags.type),
        cause: check(BounceCause.optional(), '--cause', flags.cause),
        query: check(SearchText.optional(), '--search', flags.search),
        organizationId: await organization(),
        beforeId: undefined,
        rowsMax: bouncesShownMax,
      }).then((rows) => rows.map(({ id: _id, receivedAt: _receivedAt, ...row }) => row)),
  },
]

export const bounceAdapterVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listBounceAdapters',
    summary: 'List the webhooks through which providers report bounces',
    run: async ({ session, organization }) => {
      const adapters = await listBounceAdapters(session.pg, await organization())
      return adapters.map(bounceAdapterView)
    },
  },
  {
    verb: 'create',
    operation: 'createBounceAdapter',
    summary: 'Create a bounce adapter; its URL with the secret is printed only once',
    addresses: ['API_URL'],
    operand: 'adapter',
    flags: {
      '--settings <json>': 'what the provider must prove: {"topicArn":"arn:aws:sns:…"} for ses',
      '--label <label>': 'what it is for',
    },
    run: async ({ session, flags, organization }) => {
      const adapter = check(BounceAdapterName, 'The adapter', flags.adapter)
      const settings = readJsonFlag('--settings', flags.settings ?? '{}')
      const input = check(NewBounceAdapter, 'The adapter', {
        adapter,
        settings,
        label: flags.label,
      })
      const ctx = sessionWith(session, { box: await session.box() })
      return createBounceAdapter(ctx, commandLineActor(await organization()), input)
    },
  },
  {
    verb: 'delete',
    operation: 'deleteBounceAdapter',
    summary: 'Delete a bounce adapter; its URL answers 404 from then on',
    operand: 'id',
    run: async (run) => {
      const id = idIn(run)
      const actor = commandLineActor(await run.organization())
      const unknown = `No bounce adapter has the id ${id}: see \`bounce-adapter list\`.`
      await orUnknown(unknown, deleteBounceAdapter(run.session, actor, { id }))
      return { id, deleted: true }
    },
  },
]
