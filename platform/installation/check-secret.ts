/**
 * Whether SLUICE_SECRET is the one that this installation uses. Another one makes every link that
 * was sent and every sealed value worthless, so processes that use the secret refuse to start with
 * it.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Pool } from '../postgres.ts'

export class SecretError extends Error {}

const fingerprintBytes = 16

/**
 * A keyed hash: tells secrets apart and reveals nothing of them. Different for each installation.
 */
export function secretFingerprint(secret: string, installationId: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'sluice fingerprint', 32))
  return createHmac('sha256', key).update(installationId).digest().subarray(0, fingerprintBytes)
}

/**
 * @param secrets the current one first, then former ones that are still accepted.
 * @returns `previous` when the installation's values are still sealed under a former secret;
 * `stored` when it had none.
 * @throws SecretError when the installation uses none of them.
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
    `SLUICE_SECRET is not the secret of installation ${installationId}: links that were sent and stored secrets would be worthless. Give this process the same SLUICE_SECRET as before`,
  )
}

/** After everything was sealed under the new secret. */
export async function storeSecretFingerprint(
  pool: Pick<Pool, 'query'>,
  installationId: string,
  secret: string,
): Promise<void> {
  await pool.query('update installation set secret_fingerprint = $1', [
    secretFingerprint(secret, installationId),
  ])
}
