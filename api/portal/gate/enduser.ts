/**
 * Identifies the user of a request to a portal. With end-user auth off, `enduser_id` is the user,
 * and a token is ignored even if it is invalid. With end-user auth on, a write needs a valid token,
 * and its `sub` is the user. A read without a token then falls back to `enduser_id` (unless
 * `reads_need_token` is set), because it only tells for which ideas that user voted.
 */
import type { FastifyRequest } from 'fastify'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import {
  type EmailSource,
  type EndUserRow,
  findEndUser,
  replacesEmail,
  saveEndUser,
} from '../endusers/enduser-store.ts'
import { type CheckedToken, checkEndUserToken, enduserIdError } from './enduser-token.ts'
import { type PortalProject, portalOf } from './portal-gate.ts'

export interface ViewerFields {
  readonly enduser_id?: string | null | undefined
  readonly token?: string | null | undefined
}

export interface WriterFields extends ViewerFields {
  readonly enduser_email?: string | null | undefined
}

/** Everything in a request that says who its user is. */
export interface UserClaim<Fields extends ViewerFields = WriterFields> {
  readonly portal: PortalProject
  readonly fields: Fields
  /** The header `Authorization`. */
  readonly authorization: string | undefined
}

export function userClaimOf<Fields extends ViewerFields>(
  request: FastifyRequest,
  fields: Fields,
): UserClaim<Fields> {
  return { portal: portalOf(request), fields, authorization: request.headers.authorization }
}

export interface EndUser {
  /** Id of the row. */
  readonly id: string
  readonly enduserId: string
  readonly name: string | null
}

export interface StoredEndUser extends EndUser {
  readonly email: string | null
  readonly trusted: boolean
  /**
   * An address sent with this write that differs from the stored one: only for this vote, idea or
   * comment.
   */
  readonly emailOfThis: string | null
}

/** Precision of `last_seen_at`: a row is updated at most once in this time. */
const seenEveryMs = 60_000
const bearerPattern = /^Bearer +(\S+)\s*$/i

/**
 * The project's id of the user for whom a read is. Undefined: no user. Does not query the store.
 */
export async function viewerIdOf(
  ctx: Pick<ApiContext, 'clock'>,
  claim: UserClaim<ViewerFields>,
): Promise<string | undefined> {
  const { portal, fields } = claim
  if (portal.settings.enduserAuth) {
    const token = tokenOf(claim)
    const checked = token === undefined ? undefined : await check(token, portal, ctx)
    if (checked?.kind === 'user') return checked.user.enduserId
    if (portal.settings.readsNeedToken) return undefined
  }
  const enduserId = fields.enduser_id?.trim() ?? ''
  return enduserId === '' ? undefined : validEndUserId(enduserId)
}

/** The user for whom a read is, if that user has written before. Creates no row. */
export async function viewerOf(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  claim: UserClaim<ViewerFields>,
): Promise<EndUser | undefined> {
  const enduserId = await viewerIdOf(ctx, claim)
  if (enduserId === undefined) return undefined
  return findEndUser(ctx.pg, { projectId: claim.portal.projectId, enduserId })
}

/** The user who writes. Call it first in the transaction of the write. */
export async function writerOf(
  pg: Database,
  ctx: Pick<ApiContext, 'clock'>,
  claim: UserClaim,
): Promise<StoredEndUser> {
  const { projectId } = claim.portal
  const said = await saidOf(ctx, claim)
  const now = new Date(ctx.clock.nowMs())
  const known = await findEndUser(pg, { projectId, enduserId: said.enduserId })
  const isCurrent = known !== undefined && !changes(known, said, now)
  const row = isCurrent ? known : await saveEndUser(pg, { projectId, now, ...said })
  if (row.blockedAt !== null) throw new CodedError('blocked')
  const given = said.givenEmail
  return {
    id: row.id,
    enduserId: row.enduserId,
    name: row.name,
    email: row.email,
    trusted: row.trusted,
    emailOfThis: given !== undefined && given !== row.email ? given : null,
  }
}

interface Said {
  readonly enduserId: string
  readonly email: string | undefined
  readonly emailSource: EmailSource
  readonly name: string | undefined
  readonly signed: boolean
  /** The field `enduser_email`, with or without a token. */
  readonly givenEmail: string | undefined
}

async function saidOf(ctx: Pick<ApiContext, 'clock'>, claim: UserClaim): Promise<Said> {
  const { portal, fields } = claim
  const givenEmail = emailOf(fields.enduser_email)
  if (!portal.settings.enduserAuth) {
    const enduserId = fields.enduser_id?.trim() ?? ''
    if (enduserId === '') throw invalidField('enduser_id', 'is required')
    return {
      enduserId: validEndUserId(enduserId),
      email: givenEmail,
      emailSource: 'typed',
      name: undefined,
      signed: false,
      givenEmail,
    }
  }
  const token = tokenOf(claim)
  if (token === undefined) throw new CodedError('token_required')
  const checked = await check(token, portal, ctx)
  if (checked.kind !== 'user') throw refusedToken(checked)
  const { enduserId, email, name } = checked.user
  const emailSource = email === undefined ? 'typed' : 'token'
  return { enduserId, name, email: email ?? givenEmail, emailSource, signed: true, givenEmail }
}

function validEndUserId(enduserId: string): string {
  const rule = enduserIdError(enduserId)
  if (rule !== undefined) throw invalidField('enduser_id', rule)
  return enduserId
}

function refusedToken(checked: Exclude<CheckedToken, { kind: 'user' }>): CodedError {
  const code = checked.kind === 'expired' ? 'token_expired' : 'token_invalid'
  return new CodedError(code, { details: [{ field: 'token', rule: checked.reason }] })
}

function check(
  token: string,
  { tokenKeys: keys, projectKey }: PortalProject,
  ctx: Pick<ApiContext, 'clock'>,
): Promise<CheckedToken> {
  return checkEndUserToken(token, { keys, projectKey, nowMs: ctx.clock.nowMs() })
}

/** The field comes first; the header keeps tokens out of the URLs of GET and DELETE. */
function tokenOf({ fields, authorization }: UserClaim<ViewerFields>): string | undefined {
  const field = fields.token?.trim() ?? ''
  if (field !== '') return field
  return bearerPattern.exec(authorization ?? '')?.[1]
}

/** Undefined for a blank text: forms send one for a field that is left empty. */
function emailOf(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null || text.trim() === '') return undefined
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('enduser_email', parsed.rule)
  return parsed.email
}

function changes(known: EndUserRow, said: Said, now: Date): boolean {
  if (seenEveryMs <= now.getTime() - known.lastSeenAt.getTime()) return true
  const sameEmail = said.email === known.email && said.emailSource === known.emailSource
  if (!sameEmail && replacesEmail(known, said)) return true
  const newName = said.name !== undefined && said.name !== known.name
  return newName && (said.signed || known.name === null)
}
