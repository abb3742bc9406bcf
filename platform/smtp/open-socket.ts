import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SmtpSettings } from './smtp-settings.ts'

/** Opens a connection, which uses TLS from the beginning if the URL requires it. */
export function openSocket(settings: SmtpSettings, connectMs: number): Promise<Socket> {
  const { host, port, tls, rejectUnauthorized } = settings
  return new Promise((resolve, reject) => {
    const socket =
      tls === 'at_once'
        ? connectTls({ host, port, ...serverName(host), rejectUnauthorized })
        : connect({ host, port })
    socket.setNoDelay(true)
    socket.setTimeout(connectMs, () => socket.destroy(new Error('no answer in time')))
    socket.once('error', reject)
    socket.once(tls === 'at_once' ? 'secureConnect' : 'connect', () => {
      socket.removeAllListeners('timeout')
      socket.removeAllListeners('error')
      resolve(socket)
    })
  })
}

/** SNI takes a host name; an IP address has none. */
export function serverName(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host }
}
