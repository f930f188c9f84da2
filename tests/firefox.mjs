// Firefox, for the tests of pages. It speaks WebDriver BiDi, which puppeteer-core drives as it is; playwright
// wants a Firefox of its own.
import { existsSync } from 'node:fs';

// A page, what goes wrong in it, and the browser to close. Null, saying why, where something isn't installed.
export async function openFirefox(require) {
  const firefox = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
  let puppeteer = null;
  try {
    puppeteer = require('puppeteer-core');
  } catch {
    console.log('skipped Firefox: puppeteer-core is not installed');
    return null;
  }
  if (!existsSync(firefox)) {
    console.log(`skipped Firefox: there is no ${firefox}`);
    return null;
  }
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: firefox,
    timeout: 180e3,
    protocolTimeout: 300e3,
  });
  const page = await browser.newPage(),
    trouble = [];
  page.on('console', (line) => {
    if (['error', 'warn'].includes(line.type())) trouble.push(line.text());
  });
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => {
    if (!/^(file|blob|data):/.test(request.url())) trouble.push(request.url());
  });
  page.waitForTimeout = (ms) => new Promise((done) => setTimeout(done, ms)); // as playwright's
  return { browser, page, trouble };
}
