import { v7 as uuidv7 } from 'uuid'
import type { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import type { CreatedBounceAdapter, NewBounceAdapter } from '#schemas/rest/email/bounce-adapter.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import { makeToken } from '../../auth/secret.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { adapterPurpose, addBounceAdapter, countBounceAdapters } from './bounce-adapter-store.ts'
import { bounceAdapterView } from './bounce-adapter-view.ts'
import { parseSendgridKey } from './sendgrid-adapter.ts'

const adaptersMax = 50

/**
 * Creates a webhook URL for a provider. The URL holds a secret and is shown once; the settings are
 * stored sealed.
 */
export async function createBounceAdapter(
  ctx: Pick<ApiContext, 'pg' | 'box' | 'apiUrl'>,
  actor: Actor,
  { adapter, label, settings }: z.infer<typeof NewBounceAdapter>,
): Promise<z.infer<typeof CreatedBounceAdapter>> {
  if ('publicKey' in settings && parseSendgridKey(settings.publicKey) === undefined) {
    throw invalidField('settings.publicKey', 'must be a public key on the curve P-256')
  }
  const { organizationId } = actor
  const id = uuidv7()
  const secret = makeToken()
  const stored = await ctx.pg.transaction(async (pg) => {
    if ((await countBounceAdapters(pg, organizationId)) >= adaptersMax) {
      const message = `An organization has at most ${adaptersMax} bounce adapters.`
      throw new CodedError('conflict', { message })
    }
    await addAudit(pg, actor, {
      action: 'bounce_adapter.created',
      subjectType: 'bounce_adapter',
      subjectId: id,
      details: { adapter },
    })
    return addBounceAdapter(pg, {
      id,
      organizationId,
      adapter,
      secretHash: secret.hash,
      label: label ?? '',
      sealedSettings: ctx.box.seal(adapterPurpose, id, JSON.stringify(settings)),
    })
  })
  const url = `${ctx.apiUrl}/hooks/bounces/${adapter}/${secret.value}`
  return { ...bounceAdapterView(stored), url }
}
