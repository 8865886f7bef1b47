import manifest from '../../package.json' with { type: 'json' };

/** The release as the specification writes it: `V<yy>.<nn>.<patch>`, from package.json. */
export const VERSION = `V${manifest.version.replace(/^(\d+)\.(\d+)\./, (_, year: string, release: string) => `${year}.${release.padStart(2, '0')}.`)}`;
