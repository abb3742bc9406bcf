/**
 * `node raven.cjs <scenario> <dsn>`: the legacy client, which posts base64 over zlib to `/store/`
 * and is a CommonJS package.
 */
const { writeSync } = require('node:fs')
const Raven = require('raven')

const [scenario, dsn] = process.argv.slice(2)
Raven.config(dsn, { release: 'legacy@0.9.0', environment: 'production', autoBreadcrumbs: false })
Raven.install()

function chargeCard() {
  throw new RangeError('card 4711 was declined')
}

const told = (error, eventId) =>
  writeSync(1, `${JSON.stringify({ error: error?.message ?? null, eventId })}\n`)

if (scenario === 'message') {
  Raven.captureMessage('Disk 3 is nearly full', { level: 'warning', tags: { disk: '3' } }, told)
} else {
  try {
    chargeCard()
  } catch (error) {
    const context = { user: { id: '17' }, tags: { queue: 'orders' }, extra: { basket: 2 } }
    Raven.captureException(error, context, told)
  }
}
