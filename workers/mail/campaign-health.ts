/**
 * Decides whether a campaign is paused automatically: if more than a tenth of its first 200 emails,
 * or of any later 1,000, were sent to mailboxes that do not exist, or if servers refuse the sender
 * many times in a row. Continuing would damage the sender's reputation.
 */
const firstEmails = 200
const windowEmails = 1_000
const badShareMax = 0.1
const oursInARowMax = 20

export class CampaignHealth {
  readonly #recent: boolean[] = []
  #next = 0
  #seen = 0
  #badInWindow = 0
  #badAmongFirst = 0
  #oursInARow = 0

  /** Returns the reason to pause, or undefined. */
  add(result: 'sent' | 'hard' | 'ours' | 'other'): string | undefined {
    this.#oursInARow = result === 'ours' ? this.#oursInARow + 1 : 0
    if (this.#oursInARow >= oursInARowMax) {
      return `${oursInARowMax} emails in a row were refused because of the sender: see the reasons of the failed deliveries.`
    }
    const bad = result === 'hard'
    this.#seen += 1
    if (this.#recent[this.#next]) this.#badInWindow -= 1
    this.#recent[this.#next] = bad
    this.#next = (this.#next + 1) % windowEmails
    if (bad) this.#badInWindow += 1
    if (bad && this.#seen <= firstEmails) this.#badAmongFirst += 1
    if (this.#badAmongFirst > firstEmails * badShareMax) {
      return `More than ${firstEmails * badShareMax} of the first ${firstEmails} emails were sent to mailboxes that do not exist.`
    }
    if (this.#badInWindow > windowEmails * badShareMax) {
      return `More than ${windowEmails * badShareMax} of the last ${windowEmails} emails were sent to mailboxes that do not exist.`
    }
    return undefined
  }
}
