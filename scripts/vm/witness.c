/* Runs, and says so by its exit code. */
int main(void)
{
	return 0;
}
