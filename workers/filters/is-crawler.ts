/** Recognises crawlers that run the scripts of the pages they visit, by their user agent. */
export function isCrawler(userAgent: string): boolean {
  return userAgent !== '' && crawler.test(userAgent)
}

const crawler = new RegExp(
  [
    ...[
      'googlebot',
      'mediapartners-google',
      'adsbot-google',
      'google-inspectiontool',
      'google-read-aloud',
      'feedfetcher-google',
    ],
    ...[
      'bingbot',
      'bingpreview',
      'msnbot',
      'slurp',
      'duckduckbot',
      'baiduspider',
      'yandex(?:bot|images|mobilebot)',
      'sogou',
      'exabot',
    ],
    ...[
      'facebookexternalhit',
      'facebot',
      'meta-externalagent',
      'ia_archiver',
      'twitterbot',
      'linkedinbot',
      'slackbot',
      'pinterestbot',
    ],
    ...[
      'telegrambot',
      'whatsapp',
      'applebot',
      'ahrefsbot',
      'semrushbot',
      'mj12bot',
      'dotbot',
      'petalbot',
      'bytespider',
      'gptbot',
    ],
    ...[
      'claudebot',
      'ccbot',
      'amazonbot',
      'oai-searchbot',
      'perplexitybot',
      'headlesschrome',
      'phantomjs',
      'prerender',
    ],
    // Any user agent that contains one of these as a separate word.
    ...['\\bcrawler\\b', '\\bspider\\b', '[a-z]bot/\\d'],
  ].join('|'),
  'i',
)
