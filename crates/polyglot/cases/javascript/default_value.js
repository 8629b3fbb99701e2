/** The settings. */
export default {
  name: 'x',
  run() { return helper(); },
};
function helper() {}
