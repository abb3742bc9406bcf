/**
 * Recognizes columns that record opt-outs by name, in the words of other services and languages.
 */

/** Parts that match anywhere in the name. */
const parts = [
  ...['unsub', 'optout', 'optedout', 'optin', 'optedin', 'subscribertype', 'status'],
  ...['blocklist', 'blacklist', 'suppress', 'bounce', 'complain', 'spam', 'abuse', 'banned'],
  ...['donotemail', 'donotmail', 'donotcontact', 'donotsend', 'dontemail', 'dontmail', 'nomail'],
  ...['noemail', 'gdpr', 'consent', 'permission', 'unreachable', 'undeliverab', 'invalid'],
  ...['deleted', 'removed', 'deactivated', 'disabled', 'inactive', 'confirmed', 'verified'],
  ...['dsgvo', 'abgemeldet', 'abmeld', 'einwilligung', 'gesperrt', 'desinscri', 'desabon', 'rgpd'],
  ...['desuscri', 'afgemeld', 'uitgeschreven', 'cancelado', 'disiscri', 'consens'],
]
/** Words that match a whole word of the name. */
const words = new Set([
  ...['state', 'subscribed', 'subscription', 'clean', 'cleaned', 'active', 'enabled', 'blocked'],
  ...['left', 'churned', 'cancelled', 'canceled', 'dnc', 'dne', 'doi', 'baja', 'aktiv', 'actif'],
])

/** Maps `Opt-Out Date`, `optOutDate` and `opt_out_date` to the same name. */
export function normalisedName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}

export function looksLikeOptOut(name: string): boolean {
  const normalised = normalisedName(name)
  const compact = normalised.replaceAll('_', '')
  return (
    parts.some((part) => compact.includes(part)) ||
    normalised.split('_').some((word) => words.has(word))
  )
}

/** Suggests the field of the mapping for such a column. */
export function likelyMeaning(
  name: string,
): 'status' | 'subscribed' | 'bounced' | 'complained' | 'blocked' | 'unsubscribed' {
  const compact = normalisedName(name).replaceAll('_', '')
  if (/status|state|type/.test(compact)) return 'status'
  if (/complain|spam|abuse/.test(compact)) return 'complained'
  if (/bounce|clean|unreachable|undeliverab|invalid/.test(compact)) return 'bounced'
  if (/block|black|suppress|banned|donot|dont|noe?mail/.test(compact)) return 'blocked'
  if (/unsub|inactive|deactiv/.test(compact)) return 'unsubscribed'
  if (
    /optin|optedin|subscribed|active|enabled|consent|gdpr|permission|confirmed|verified/.test(
      compact,
    )
  ) {
    return 'subscribed'
  }
  return 'unsubscribed'
}
