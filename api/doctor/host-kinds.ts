/** Whether a host name or address is this machine itself. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return (
    bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || /^127\./.test(bare)
  )
}
