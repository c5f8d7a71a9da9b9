/** How a build names packages of a registry, and code of the repository that can take the place of one. */
interface Build {
  readonly path: RegExp;
  readonly packages: RegExp;
  readonly places: RegExp;
}

const BUILDS: readonly Build[] = [
  {
    path: /\.(?:cs|fs|vb)proj$|\.props$|\.targets$/,
    packages: /<(?:Global)?PackageReference\s[^<>]{0,200}?(?:Include|Update)="([^"<>]+)"/g,
    places: /<(?:ProjectReference|Reference)\s[^<>]{0,200}?Include="([^"<>]+)"|<HintPath>([^<>]+)/g,
  },
  {
    path: /(?:^|\/)pom\.xml$/,
    packages: /<artifactId>([^<>]+)<\/artifactId>/g,
    places: /<systemPath>([^<>]+)/g,
  },
  {
    path: /\.gradle(?:\.kts)?$/,
    packages: /["']([\w.-]+:[\w.-]+)(?::[^"'\n]*)?["']/g,
    places: /\b(?:project|files|fileTree)\s*\(([^)\n]{0,200})/g,
  },
];

/**
 * T-10: whether code of the repository came in the place of a package: a reference to a package is gone, and one to a place
 * is new. Either alone is work.
 */
export function swapsPackage(path: string, before: string, after: string): boolean {
  const build = BUILDS.find((one) => one.path.test(path));
  if (build === undefined) return false;
  const namesOf = (text: string, pattern: RegExp): Set<string> =>
    new Set(Array.from(text.matchAll(pattern), ([, first, second]) => (first ?? second ?? "").trim()));
  const isMissing = (from: string, to: string, pattern: RegExp): boolean => {
    const there = namesOf(to, pattern);
    return [...namesOf(from, pattern)].some((name) => !there.has(name));
  };
  const isNewPlace = isMissing(after, before, build.places);
  // A jar of a folder takes the place of an artifact that keeps its name.
  return isNewPlace && (path.endsWith("pom.xml") || isMissing(before, after, build.packages));
}
