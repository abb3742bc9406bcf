/**
 * States of the domain of a From address, and the error for one that is neither verified nor
 * allowed.
 */

export type FromDomainState = 'verified' | 'lapsed' | 'allowed' | 'unknown'

export function unverifiedFromSentence(domain: string): string {
  return `Emails cannot be sent from ${domain}, because this organization has not verified it. Add it under sending domains (\`npm run admin -- domain create ${domain}\`), publish its DNS records and check them, or have the operator allow it (\`domain allow ${domain}\`).`
}

/** With MAIL_ALLOW_UNVERIFIED_FROM, as with the mailbox of `npm start`. */
export function unverifiedButAllowedSentence(domain: string): string {
  return `This organization has not verified ${domain}. This server sends from it all the same, because of \`MAIL_ALLOW_UNVERIFIED_FROM\`; mailboxes may refuse such emails.`
}

/**
 * The domain of an address in lower case without a trailing dot, as domains are compared. The SQL
 * function `domain_of_address` must do the same.
 */
export function domainOfAddress(address: string): string {
  return address
    .slice(address.lastIndexOf('@') + 1)
    .toLowerCase()
    .replace(/\.$/, '')
}
