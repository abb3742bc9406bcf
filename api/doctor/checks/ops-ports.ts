/** Operations ports serve metrics to everyone who reaches them: they belong on an inner network. */
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'
import { isLoopback } from '../host-kinds.ts'

const opsPorts = of('ops_ports')

const ports = [
  { process: 'ingest', host: 'INGEST_OPS_HOST', port: 'INGEST_OPS_PORT' },
  { process: 'workers', host: 'WORKERS_HOST', port: 'WORKERS_PORT' },
  { process: 'mailer', host: 'MAILER_HOST', port: 'MAILER_PORT' },
  { process: 'api', host: 'API_OPS_HOST', port: 'API_OPS_PORT' },
] as const

export const opsPortsCheck: Check = {
  group: 'ops_ports',
  run: async (ctx) => {
    const [open, metrics] = await Promise.all([fromOutside(ctx), onPublicPorts(ctx)])
    const found = [...bound(ctx), ...open, ...metrics]
    if (found.length > 0) return found
    return [
      opsPorts.ok('all', 'No operations port is open to other networks, as far as seen here.'),
    ]
  },
}

function bound({ settings }: DoctorContext): Finding[] {
  return ports.flatMap(({ process, host }) => {
    const address = settings.get(host)
    if (address === undefined || isLoopback(address)) return []
    return [
      opsPorts.warning(
        process,
        `${host} is ${address}: other machines can read the metrics of ${process}.`,
        `Set ${host}=127.0.0.1, or allow only Prometheus to reach the port (a container network, a firewall).`,
      ),
    ]
  })
}

/** Tries the ports under the public names. */
async function fromOutside(ctx: DoctorContext): Promise<Finding[]> {
  const { settings } = ctx
  const urls = [settings.get('INGEST_URL'), settings.get('API_URL')].flatMap((url) => url ?? [])
  const hosts = [...new Set(urls.map((url) => new URL(url).hostname))].filter(
    (host) => !isLoopback(host),
  )
  const found = await Promise.all(
    hosts.flatMap((host) =>
      ports.map(async ({ process, port }) => {
        const number = settings.get(port)
        if (!number) return []
        const reply = await ctx.httpGet(`http://${host}:${number}/metrics`).catch(() => undefined)
        if (reply?.status !== 200 || !reply.text.includes('# HELP')) return []
        return [
          opsPorts.problem(
            process,
            `${host}:${number} serves the metrics of ${process} under a public name.`,
            'Bind the port to 127.0.0.1 or an inner address, or close it in the firewall.',
          ),
        ]
      }),
    ),
  )
  return found.flat()
}

/** A proxy may pass the path on to an operations port in error. */
async function onPublicPorts(ctx: DoctorContext): Promise<Finding[]> {
  const found = await Promise.all(
    (['INGEST_URL', 'API_URL'] as const).map(async (name) => {
      const url = ctx.settings.get(name)
      if (url === undefined) return []
      const path = new URL('/metrics', url).href
      const reply = await ctx.httpGet(path).catch(() => undefined)
      if (reply?.status !== 200 || !reply.text.includes('# HELP')) return []
      const advice = 'Remove the path from the configuration of the proxy.'
      return [opsPorts.problem(name.toLowerCase(), `${path} serves metrics to everyone.`, advice)]
    }),
  )
  return found.flat()
}
