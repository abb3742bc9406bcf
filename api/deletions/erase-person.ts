import { erasePersonData } from '#platform/person-data/erase-address-store.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { PersonBody } from '#schemas/rest/deletion.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { lockAddress } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { listOrganizationProjects } from '../projects/project-store.ts'
import {
  addDeletion,
  countUnfinishedErasures,
  noteCounts,
  type StoredDeletion,
} from './deletion-store.ts'
import { parsePerson } from './parse-person.ts'
import { findUsesOfAddress } from './person-use-store.ts'
import { remainingOfPerson } from './remaining-places.ts'
import { subjectHash } from './subject-hash.ts'

/**
 * Erasures of one organization that wait or run. One deletion runs at a time in the installation,
 * so an organization without this bound could delay those of all others for days.
 */
export const erasuresWaitingMax = 200

/**
 * Erases a person from the organization of the actor: the contact at once, everything else by a
 * job. The audit entry names no person, because the audit log outlives the person's data.
 */
export async function erasePerson(
  ctx: Pick<ApiContext, 'pg'> & { readonly box: Pick<SecretBox, 'mac'> },
  actor: Actor,
  person: PersonBody,
): Promise<StoredDeletion> {
  const { organizationId } = actor
  const subject = parsePerson(person)
  return ctx.pg.transaction(async (client) => {
    if (subject.email !== undefined) await refuseUsed(client, organizationId, subject.email)
    await refuseMany(client, organizationId)
    const projects = await listOrganizationProjects(client, organizationId)
    const deletion = await addDeletion(client, actor, {
      kind: 'person',
      projects,
      subject,
      subjectHash: subjectHash(ctx.box, organizationId, subject),
      remaining: remainingOfPerson,
    })
    await addAudit(client, actor, {
      action: 'person_data.erased',
      subjectType: 'deletion',
      subjectId: deletion.id,
      details: { fields: Object.keys(subject) },
    })
    const counts = await eraseContactsOf(client, organizationId, subject.email)
    return noteCounts(client, deletion.id, counts)
  })
}

async function eraseContactsOf(
  client: Database,
  organizationId: string,
  email: string | undefined,
): Promise<Record<string, number>> {
  if (email === undefined) return {}
  const address = await lockAddress(client, { organizationId, key: email })
  if (address === undefined) return {}
  const { contacts } = await erasePersonData(client, { organizationId, addressId: address.id })
  return { addresses: 1, contacts }
}

async function refuseMany(client: Database, organizationId: string): Promise<void> {
  if ((await countUnfinishedErasures(client, organizationId)) < erasuresWaitingMax) return
  const message = `${erasuresWaitingMax} erasures of the organization have not ended. Retry when some have.`
  throw new CodedError('rate_limited', { message, retryAfterSeconds: 60 })
}

/** An address that the organization itself uses would break what uses it. */
async function refuseUsed(client: Database, organizationId: string, email: string): Promise<void> {
  const [use] = await findUsesOfAddress(client, organizationId, email)
  if (use === undefined) return
  throw new CodedError('conflict', {
    message:
      use.kind === 'member'
        ? '`email`: this is the login of a person of the organization. Remove the person first.'
        : `\`email\`: the newsletter ${use.name} sends from this address. Change it first.`,
  })
}
