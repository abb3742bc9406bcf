/** SLUICE_SECRET: whether it is set, hard to guess, and the one that the installation uses. */
import { timingSafeEqual } from 'node:crypto'
import { secretFingerprint } from '#platform/installation/check-secret.ts'
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const secret = of('secret')
const charactersMin = 32
/** A random secret of 32 hexadecimal digits has about 14 different ones, and hardly ever fewer. */
const differentMin = 9
const guessable =
  /secret|change.?me|password|example|sluice|0123456789|1234567890|abcdefgh|qwerty|openssl/i
const makeOne = 'Make one with `openssl rand -hex 32`.'

export const secretCheck: Check = {
  group: 'secret',
  run: async (ctx) => {
    const { SLUICE_SECRET: text } = ctx.settings.env
    if (!text) {
      return [
        secret.problem('set', 'SLUICE_SECRET is not set: only ingest starts without it.', makeOne),
      ]
    }
    return [...strength(ctx, text), ...(await identity(ctx, text))]
  },
}

function strength({ settings }: DoctorContext, text: string): Finding[] {
  const keep = 'Rotate it as docs/operations.md says: other values would end all links.'
  if (text.length < charactersMin) {
    return [
      secret.problem(
        'strength',
        `SLUICE_SECRET has ${text.length} characters; it needs ${charactersMin}.`,
        makeOne,
      ),
    ]
  }
  if (guessable.test(text) || new Set(text).size < differentMin) {
    return [
      secret.problem(
        'strength',
        'SLUICE_SECRET looks like an example or a word: who guesses it can forge links and read sealed values.',
        `${makeOne} ${keep}`,
      ),
    ]
  }
  const from = settings.isSecretStored ? 'secrets.json of the data folder' : 'SLUICE_SECRET'
  return [secret.ok('strength', `The secret (${from}) is long and looks random.`)]
}

async function identity(ctx: DoctorContext, text: string): Promise<Finding[]> {
  const postgres = await ctx.postgres()
  if (postgres.state !== 'answers') return [secret.skipped('identity', 'Needs Postgres.')]
  const { rows } = await postgres.store.pool.query<{ id: string; fingerprint: Buffer | null }>(
    'select id, secret_fingerprint as fingerprint from installation',
  )
  const [row] = rows
  if (row === undefined || row.fingerprint === null) {
    return [secret.skipped('identity', 'No process has used the secret yet.')]
  }
  const known = row.fingerprint
  const isKnown = (one: string | undefined) => {
    if (!one) return false
    const mine = secretFingerprint(one, row.id)
    return mine.length === known.length && timingSafeEqual(mine, known)
  }
  const previous = ctx.settings.env['SLUICE_SECRET_PREVIOUS']
  if (isKnown(text)) {
    return [secret.ok('identity', 'The secret is the one that the installation uses.')]
  }
  if (isKnown(previous)) {
    return [
      secret.warning(
        'identity',
        'The installation uses SLUICE_SECRET_PREVIOUS: the rotation is not finished.',
        'Restart all processes with the new secret, then run `npm run admin -- secret rotate`.',
      ),
    ]
  }
  return [
    secret.problem(
      'identity',
      'SLUICE_SECRET is not the secret of this installation: API, workers and mailer refuse to start with it.',
      'Set the secret that the installation had before, or the right POSTGRES_URL.',
    ),
  ]
}
