/** Formats the DSN for SDKs. A path of the ingest URL precedes the project number. */
export function formatDsn(parts: {
  ingestUrl: string
  publicKey: string
  dsnId: number | string
}): string {
  const { protocol, host, pathname } = new URL(parts.ingestUrl)
  return `${protocol}//${parts.publicKey}@${host}${pathname.replace(/(?<!\/)\/+$/, '')}/${parts.dsnId}`
}
