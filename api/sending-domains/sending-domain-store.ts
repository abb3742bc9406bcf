import type { FromDomainState } from '#schemas/mail/from-domain.ts'
import type { DnsRecordCheck, SendingDomainState } from '#schemas/rest/email/sending-domain.ts'
import type { Database } from '../database.ts'

/** All domains of an organization are one page, and each has a key of its own. */
export const domainsMax = 200

export interface StoredSendingDomain {
  readonly id: string
  readonly organizationId: string
  readonly domain: string
  readonly bounceDomain: string
  readonly selector: string
  readonly publicKey: string
  readonly checks: DnsRecordCheck[] | null
  readonly checkedAt: Date | null
  readonly createdAt: Date
  readonly proofToken: string
  readonly proofRequired: boolean
  readonly state: SendingDomainState
  readonly stateReason: string | null
  readonly stateAt: Date
  /** Null: not proven. */
  readonly ownedAt: Date | null
  readonly unansweredChecks: number
  readonly unansweredSince: Date | null
}

const columns = `id, organization_id as "organizationId", domain, coalesce(bounce_domain, 'bounces.' || domain) as "bounceDomain", selector,
  public_key as "publicKey", check_result as checks, checked_at as "checkedAt", created_at as "createdAt",
  proof_token as "proofToken", proof_required as "proofRequired", state, state_reason as "stateReason", state_at as "stateAt",
  owned_at as "ownedAt", unanswered_checks as "unansweredChecks", unanswered_since as "unansweredSince"`

/** Returns undefined if the organization has this domain already. */
export async function addSendingDomain(
  pg: Database,
  added: {
    id: string
    organizationId: string
    domain: string
    bounceDomain: string | null
    selector: string
    sealedKey: Buffer
    publicKey: string
  },
): Promise<StoredSendingDomain | undefined> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `insert into sending_domains (id, organization_id, domain, bounce_domain, selector, sealed_key, public_key)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (organization_id, domain) do nothing returning ${columns}`,
    [
      added.id,
      added.organizationId,
      added.domain,
      added.bounceDomain,
      added.selector,
      added.sealedKey,
      added.publicKey,
    ],
  )
  return rows[0]
}

export async function listSendingDomains(
  pg: Database,
  { organizationId, rowsMax }: { organizationId: string; rowsMax: number },
): Promise<StoredSendingDomain[]> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `select ${columns} from sending_domains where organization_id = $1 order by domain limit $2`,
    [organizationId, rowsMax],
  )
  return rows
}

/** Of all organizations, for the operator. */
export async function listAllSendingDomains(
  pg: Database,
  rowsMax: number,
): Promise<StoredSendingDomain[]> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `select ${columns} from sending_domains order by domain, id limit $1`,
    [rowsMax],
  )
  return rows
}

export async function findSendingDomain(
  pg: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredSendingDomain | undefined> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `select ${columns} from sending_domains where organization_id = $1 and id = $2`,
    [organizationId, id],
  )
  return rows[0]
}

/**
 * Locks the rows of all organizations for a domain, in the order of their ids, to decide which of
 * them owns it.
 */
export async function lockDomain(pg: Database, domain: string): Promise<StoredSendingDomain[]> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `select ${columns} from sending_domains where domain = $1 order by id for update`,
    [domain],
  )
  return rows
}

export interface DomainCheckResult {
  readonly id: string
  readonly checks: readonly DnsRecordCheck[]
  readonly state: SendingDomainState
  readonly reason: string | null
  readonly isOwned: boolean
  readonly unansweredChecks: number
  readonly unansweredSince: Date | null
  readonly nextCheckAt: Date
  readonly now: Date
}

export async function storeDomainCheck(
  pg: Database,
  result: DomainCheckResult,
): Promise<StoredSendingDomain | undefined> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `update sending_domains set check_result = $2, checked_at = $3, state_reason = $5,
         state_at = case when state = $4 then state_at else $3 end, state = $4,
         owned_at = case when $6 then coalesce(owned_at, $3) end,
         unanswered_checks = $7, unanswered_since = $8, check_due_at = $9
       where id = $1 returning ${columns}`,
    [
      result.id,
      JSON.stringify(result.checks),
      result.now,
      result.state,
      result.reason,
      result.isOwned,
      result.unansweredChecks,
      result.unansweredSince,
      result.nextCheckAt,
    ],
  )
  return rows[0]
}

/** For an organization whose domain another one has proven. */
export async function loseDomain(
  pg: Database,
  { id, reason, now }: { id: string; reason: string; now: Date },
): Promise<void> {
  await pg.query(
    `update sending_domains set owned_at = null, state_reason = $2, state_at = $3,
         state = case state when 'pending' then 'pending' else 'failed' end
       where id = $1`,
    [id, reason, now],
  )
}

/**
 * Claims domains whose check is due. Other processes skip them until `againAt`, in case this
 * process ends before it checks them.
 */
export async function claimDueDomains(
  pg: Database,
  { now, againAt, most }: { now: Date; againAt: Date; most: number },
): Promise<{ id: string; organizationId: string }[]> {
  const { rows } = await pg.query<{ id: string; organizationId: string }>(
    `update sending_domains set check_due_at = $2
       where id in (
         select id from sending_domains where check_due_at <= $1 order by check_due_at limit $3 for update skip locked
       )
       returning id, organization_id as "organizationId"`,
    [now, againAt, most],
  )
  return rows
}

export async function deleteSendingDomain(
  pg: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<{ domain: string } | undefined> {
  const { rows } = await pg.query<{ domain: string }>(
    'delete from sending_domains where organization_id = $1 and id = $2 returning domain',
    [organizationId, id],
  )
  return rows[0]
}

/** Whether the organization may send from addresses of this domain. */
export async function fromDomainState(
  pg: Database,
  { organizationId, domain }: { organizationId: string; domain: string },
): Promise<FromDomainState> {
  const { rows } = await pg.query<{ state: FromDomainState }>(
    'select from_domain_state($1, $2) as state',
    [organizationId, domain],
  )
  return rows[0]!.state
}

export interface AllowedFromDomain {
  readonly domain: string
  readonly reason: string | null
  readonly createdBy: string
  readonly createdAt: Date
}

/** Returns false if it is allowed already. */
export async function allowFromDomain(
  pg: Database,
  allowed: { organizationId: string; domain: string; reason: string | null; createdBy: string },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `insert into allowed_from_domains (organization_id, domain, reason, created_by) values ($1, $2, $3, $4)
       on conflict do nothing`,
    [allowed.organizationId, allowed.domain, allowed.reason, allowed.createdBy],
  )
  return rowCount === 1
}

export async function disallowFromDomain(
  pg: Database,
  { organizationId, domain }: { organizationId: string; domain: string },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    'delete from allowed_from_domains where organization_id = $1 and domain = $2',
    [organizationId, domain],
  )
  return rowCount === 1
}

export async function listAllowedFromDomains(
  pg: Database,
  { organizationId, rowsMax }: { organizationId: string; rowsMax: number },
): Promise<AllowedFromDomain[]> {
  const { rows } = await pg.query<AllowedFromDomain>(
    `select domain, reason, created_by as "createdBy", created_at as "createdAt"
       from allowed_from_domains where organization_id = $1 order by domain limit $2`,
    [organizationId, rowsMax],
  )
  return rows
}
