/** Lives until its input ends. */
console.log('ran');
process.stdin.resume();
