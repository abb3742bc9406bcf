interface Tracked {
  readonly tracks: { readonly opens: boolean; readonly clicks: boolean; readonly contacts: boolean }
  readonly hitsExpired: boolean
}

/** Says what the numbers of a campaign do not know, in sentences. */
export function notTracked({ tracks, hitsExpired }: Tracked): string[] {
  const sentences: string[] = []
  if (!tracks.opens && !tracks.clicks) sentences.push('Opens and clicks are not tracked.')
  else if (!tracks.opens) sentences.push('Opens are not tracked.')
  else if (!tracks.clicks) sentences.push('Clicks are not tracked.')
  if (tracks.opens) {
    sentences.push('Opens are an upper bound: mail services load images that nobody looked at.')
  }
  if ((tracks.opens || tracks.clicks) && !tracks.contacts) {
    sentences.push('Hits are counted without the person, so one person can count several times.')
  }
  if (hitsExpired) {
    sentences.push('Older hits have been deleted: the chart shows fewer than the sums.')
  }
  sentences.push('Replies and forwarded emails are not tracked.')
  return sentences
}
