/**
 * Checks that SLUICE_SECRET is the secret of this installation. Another secret would invalidate all
 * links sent so far and make sealed values unreadable, so processes that use it refuse to start.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Pool } from '../postgres.ts'

export class SecretError extends Error {}

const fingerprintBytes = 16

/** A keyed hash that identifies a secret without revealing it. It differs for each installation. */
export function secretFingerprint(secret: string, installationId: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'sluice fingerprint', 32))
  return createHmac('sha256', key).update(installationId).digest().subarray(0, fingerprintBytes)
}

/**
 * @param secrets the current one first, then previous ones that are still accepted.
 * @returns `previous` if the installation's values are still sealed under a previous secret;
 * `stored` if it had no fingerprint.
 * @throws SecretError if the installation uses none of them.
 */
export async function checkSecret(
  pool: Pool,
  installationId: string,
  secrets: readonly [string, ...string[]],
): Promise<'current' | 'previous' | 'stored'> {
  const [current, ...former] = secrets.map((secret) => secretFingerprint(secret, installationId))
  const stored = await pool.query(
    'update installation set secret_fingerprint = $1 where secret_fingerprint is null',
    [current],
  )
  if (stored.rowCount === 1) return 'stored'
  const { rows } = await pool.query<{ fingerprint: Buffer }>(
    'select secret_fingerprint as fingerprint from installation',
  )
  const known = rows[0]?.fingerprint
  const isKnown = (one: Buffer | undefined) =>
    one !== undefined && known?.length === one.length && timingSafeEqual(known, one)
  if (isKnown(current)) return 'current'
  if (former.some(isKnown)) return 'previous'
  throw new SecretError(
    `SLUICE_SECRET is not the secret of installation ${installationId}: with another secret, links in sent emails and stored secrets are invalid. Start this process with the previous SLUICE_SECRET`,
  )
}

/** Called when all values are sealed under the new secret. */
export async function storeSecretFingerprint(
  pool: Pick<Pool, 'query'>,
  installationId: string,
  secret: string,
): Promise<void> {
  await pool.query('update installation set secret_fingerprint = $1', [
    secretFingerprint(secret, installationId),
  ])
}
